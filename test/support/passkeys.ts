import assert from 'node:assert/strict'
import {
  AuthenticatorEmulator,
  PasskeysCredentialsMemoryRepository,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  WebAuthnEmulator,
} from 'nid-webauthn-emulator'
import { aUser, type Person } from './people.ts'
import type { aVisitor } from './visitor.ts'
import { type World, world } from './world.ts'

/** Passkeys belong to a name: the pages on 127.0.0.1 ask for those of localhost. */
export const PASSKEY_ORIGIN = 'http://localhost:8064'

/** A device with passkeys. `knowsUser`: it asks for a PIN; `counts`: its counter moves, as few do today. */
export function aDevice({ knowsUser = true, counts = true } = {}) {
  const verifications = { userPresent: true, userVerified: knowsUser }
  const touch = () => ({ options: { up: true, uv: knowsUser } })
  return new WebAuthnEmulator(
    new AuthenticatorEmulator({
      verifications,
      signCounterIncrement: counts ? 1 : 0,
      userMakeCredentialInteraction: touch,
      userGetAssertionInteraction: touch,
      credentialsRepository: new PasskeysCredentialsMemoryRepository(),
    }),
  )
}

/** Adds the passkey of the device to the account through the API. */
export async function addPasskey({ headers }: Person, device: WebAuthnEmulator, lyceum?: World) {
  const { sso } = lyceum ?? (await world())
  const post = (url: string, payload: object) =>
    sso.inject({ method: 'POST', url: `/api/v1/mfa/factors${url}`, headers, payload })
  const begun = await post('', { type: 'webauthn', name: 'Passkey' })
  assert.equal(begun.statusCode, 201, begun.body)
  const { factor_id, public_key } = begun.json()
  const credential = device.createJSON(PASSKEY_ORIGIN, public_key as PublicKeyCredentialCreationOptionsJSON)
  const active = await post(`/${factor_id}/activate`, { credential })
  assert.equal(active.statusCode, 200, active.body)
  return factor_id as string
}

/** A person with a password, and a device that holds their passkey. */
export async function aPasskeyOwner({
  lyceum,
  ...kind
}: Parameters<typeof aDevice>[0] & { lyceum?: World } = {}) {
  const [person, device] = [await aUser(lyceum ? { lyceum } : {}), aDevice(kind)]
  return { ...person, device, factor_id: await addPasskey(person, device, lyceum) }
}

const unescaped = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
export const optionsOn = (body: string, attribute = 'data-passkey-sign-in') =>
  JSON.parse(unescaped(new RegExp(`${attribute}="([^"]+)"`).exec(body)?.[1] ?? 'null'))

type Visitor = ReturnType<typeof aVisitor>

/** Opens the sign-in page and lets the device answer it. The form may be posted, by whoever. */
export async function signOnPage(
  visitor: Visitor,
  device: WebAuthnEmulator,
  query = '',
  origin = PASSKEY_ORIGIN,
) {
  const { body } = await visitor.get(`/sign-in${query}`)
  const form_token = /name="form_token" value="([^"]+)"/.exec(body)?.[1] ?? 'no form'
  const options = optionsOn(body) as PublicKeyCredentialRequestOptionsJSON
  const signed = device.getJSON(origin, options)
  return { url: `/sign-in/passkey${query}`, form: { form_token, credential: JSON.stringify(signed) }, signed }
}

/** Signs in on the page by the passkey of the device. */
export async function signInByPasskey(visitor: Visitor, device: WebAuthnEmulator, query = '') {
  const { url, form } = await signOnPage(visitor, device, query)
  return visitor.post(url, form)
}
