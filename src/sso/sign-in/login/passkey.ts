import type { Tx } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { byNobody, recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { lockActiveUser, type UserRow } from '../../people/person/users.ts'
import { refused } from '../../people/sessions/answer.ts'
import { suspended } from '../../people/sessions/open-session.ts'
import { completeOrAsk, type ConsentAsked } from '../completing/ask-consent.ts'
import type { SignIn } from '../completing/complete.ts'
import { tellNewDevice } from '../completing/new-device.ts'
import type { Purpose } from '../consent/purpose.ts'
import {
  type Answered,
  findPasskey,
  type Passkey,
  PASSKEY_METHODS,
  spendAssertion,
  verifyPasskey,
} from '../factors/passkeys.ts'

type How = { from: Origin; purpose: Purpose }

/**
 * Signs in by a passkey alone, on our own pages; it also fulfils a site's demand for a second factor. 401
 * passkey_invalid for an unknown, foreign or wrong one and for a challenge answered before, account_suspended only for a
 * right one; 429 too_many_attempts. Refusals leave at a fixed time.
 */
export async function signInWithPasskey(
  parts: SsoParts,
  site: Site,
  answered: Answered,
  how: How,
): Promise<SignIn | ConsentAsked> {
  const { environment } = site
  const credential_id = 'id' in answered.credential ? String(answered.credential.id) : ''
  const guess = { kind: 'passkey', environment, credential_id, client_ip: how.from.ip_address } as const
  return parts.passwords.refuseInTime(how.from.ip_address, () =>
    parts.throttle.guard(guess, async () => {
      const key = await findPasskey(parts.database.fast, environment, credential_id)
      try {
        return await enter(parts, site, { key, answered }, how)
      } catch (error) {
        if (error instanceof ApiError && error.status === 401)
          await recordFailure(parts, site, key, { from: how.from, reason: error.code })
        throw error
      }
    }),
  )
}

async function enter(
  parts: SsoParts,
  site: Site,
  { key, answered }: { key: Passkey | undefined; answered: Answered },
  how: How,
): Promise<SignIn | ConsentAsked> {
  const assertion = key && (await verifyPasskey(parts, key, answered))
  if (!assertion) throw invalidPasskey()
  if (key.status !== 'active') throw suspended()
  return parts.database.transaction(async (tx) => {
    const user = await lockActiveUser(tx, site, key.user_id)
    if (!user || !(await spendAssertion(tx, key, assertion))) throw invalidPasskey()
    return openByPasskey(tx, parts, site, user, how)
  })
}

/** Opens the session of a person who has just used or made a passkey, in a transaction that holds their lock. */
export async function openByPasskey(
  tx: Tx,
  parts: SsoParts,
  site: Site,
  user: UserRow,
  { from, purpose }: How,
): Promise<SignIn | ConsentAsked> {
  const opening = {
    auth_methods: PASSKEY_METHODS,
    proven_methods: PASSKEY_METHODS,
    device_name: null,
    login_id: newId(),
    openid_scope: purpose.openid_scope,
    from,
  }
  const sign_in = await completeOrAsk(tx, site, user, opening, purpose)
  if (!sign_in) throw new Error('a passkey was proven and the session was not opened')
  return tellNewDevice(tx, parts, site, sign_in)
}

const recordFailure = (
  { database }: SsoParts,
  site: Site,
  key: Passkey | undefined,
  { from, reason }: { from: Origin; reason: string },
) =>
  recordAct(
    database.pool,
    {
      action: 'login.failed',
      ...byNobody(site, key?.user_id ?? null),
      details: { method: 'webauthn', reason },
    },
    from,
  )

const invalidPasskey = () => refused('passkey_invalid', 'This passkey was not accepted')
