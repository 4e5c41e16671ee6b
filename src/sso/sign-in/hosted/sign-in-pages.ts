import { type Organisation, startOf } from './realm.ts'
import type { Method } from '../factors/challenges.ts'
import type { SentMethod } from '../factors/sent-codes.ts'
import type { Destination } from './destination.ts'
import { type Html, html } from '../../core/pages/html.ts'
import { type Fault, field, form, layOut, links } from '../../core/pages/layout.ts'

/** What every form page is made of. */
export type Shown = {
  destination: Destination
  form_token: string
  faults?: readonly Fault[] | undefined
}

/** Whom one signs in for, so that nobody gives a password to a site unknowingly. The name is the site's own word. */
const leadOf = ({ site, site_name }: Destination) =>
  !site.is_first_party && html`<p class="lead">to continue to <strong>${site_name}</strong></p>`

const footerOf = ({ return_to }: Destination) =>
  return_to !== undefined && html`<p>You will return to ${new URL(return_to).host}</p>`

export const signInPage = ({
  destination,
  form_token,
  faults,
  name,
  organisations,
  kept,
}: Shown & {
  name?: string | undefined
  organisations: readonly Organisation[]
  kept?: string | undefined
}) =>
  layOut({
    title: 'Sign in',
    faults,
    main: html` ${leadOf(destination)}
    ${form(
      `/sign-in${destination.query}`,
      form_token,
      html` ${field({ name: 'name', label: 'E-mail address or username', autocomplete: 'username', value: name, isName: true, isFirst: true, faults })}
        ${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', faults })}
        <button type="submit">Sign in</button>`,
    )}
    ${links(
      ...(kept === undefined ? [] : [{ href: kept, text: 'Go on as who is signed in in this browser' }]),
      ...organisations.map((organisation) => ({
        href: startOf(organisation, destination.query),
        text: `Sign in with ${organisation.name}`,
      })),
      { href: `/forgot-password${destination.query}`, text: 'Forgot your password?' },
      { href: `/sign-up${destination.query}`, text: 'Create an account' },
    )}`,
    footer: footerOf(destination) || undefined,
  })

export const signUpPage = ({
  destination,
  form_token,
  faults,
  email,
  display_name,
}: Shown & { email?: string | undefined; display_name?: string | undefined }) =>
  layOut({
    title: 'Create an account',
    faults,
    main: html` ${leadOf(destination)}
    ${form(
      `/sign-up${destination.query}`,
      form_token,
      html` ${field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', value: email, isFirst: true, faults })}
        ${field({ name: 'display_name', label: 'Name', autocomplete: 'name', value: display_name, isOptional: true, faults })}
        <p class="hint">We send you a link by e-mail, with which you choose your password.</p>
        <button type="submit">Create account</button>`,
    )}
    ${links({ href: `/sign-in${destination.query}`, text: 'Sign in with an account you have' })}`,
    footer: footerOf(destination) || undefined,
  })

export const newPassword = (faults: readonly Fault[] | undefined, label = 'Password'): Html =>
  field({
    name: 'password',
    label,
    type: 'password',
    autocomplete: 'new-password',
    hint: '8 to 128 characters. A few words together are easy to remember and hard to guess.',
    faults,
  })

type SecondFactorForms = {
  /** Where the forms post to; below it `/email` and `/sms` ask for a code. `query` goes with all. */
  path: string
  query: string
  form_token: string
  faults?: readonly Fault[] | undefined
  methods: readonly Method[]
  /** Those of the methods whose codes can be sent. */
  sendable: readonly SentMethod[]
  /** How the code that the form asks for was sent. */
  sent_by?: SentMethod | undefined
  /** Where a code was sent to just now, the address not in full. */
  sent_to?: string | undefined
  /** PublicKeyCredentialRequestOptionsJSON, for a key of the person's. */
  public_key?: object | undefined
}
type SecondFactorPage = Shown & Omit<SecondFactorForms, 'path' | 'query'>

const CODE_HINTS: Partial<Record<Method, string>> = {
  totp: 'The six digits that your authenticator app shows now.',
  email: 'The six digits of our e-mail, once you have asked for one.',
  sms: 'The six digits of our SMS, once you have asked for one.',
  recovery_code: 'Or one of your recovery codes.',
}

export const secondFactorPage = ({ destination, ...asked }: SecondFactorPage) =>
  layOut({
    title: 'Confirm that it is you',
    faults: asked.faults,
    script: asked.public_key && 'passkey.js',
    main: html` ${secondFactorForms({ path: '/sign-in/mfa', query: destination.query, ...asked })}
    ${links({ href: `/sign-in${destination.query}`, text: 'Sign in as somebody else' })}`,
    footer: footerOf(destination) || undefined,
  })

/** One form for each way to prove a second factor. */
export const secondFactorForms = ({
  path,
  query,
  form_token,
  faults,
  methods,
  sendable,
  sent_by,
  sent_to,
  public_key,
}: SecondFactorForms): Html => {
  const action = `${path}${query}`
  const takesCode = methods.some((method) => method !== 'webauthn')
  const hint = methods
    .map((method) => CODE_HINTS[method])
    .filter(Boolean)
    .join(' ')
  const onItsWay = sent_by && html`<input type="hidden" name="method" value="${sent_by}" />`
  return html` ${sent_to !== undefined && html`<p class="lead" role="status">A code is on its way to ${sent_to}.</p>`}
  ${
    public_key !== undefined &&
    html`<form method="post" action="${action}" data-passkey="${JSON.stringify(public_key)}">
      <input type="hidden" name="form_token" value="${form_token}" />
      <input type="hidden" name="credential" value="" />
      <p class="fault" role="alert" data-passkey-fault hidden>
        The security key did not answer. Try again${takesCode && html`, or use a code`}.
      </p>
      <noscript
        ><p class="hint">A passkey needs JavaScript, which is switched off in this browser.</p></noscript
      >
      <button type="submit" id="passkey">Use a passkey or security key</button>
    </form>`
  }
  ${
    takesCode &&
    form(
      action,
      form_token,
      html` ${onItsWay}
        ${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', hint, isCode: true, isFirst: public_key === undefined, faults })}
        <button type="submit">Continue</button>`,
    )
  }
  ${sendable.map(
    (method) =>
      html`<form method="post" action="${path}/${method}${query}">
        <input type="hidden" name="form_token" value="${form_token}" />
        ${onItsWay}
        <button type="submit" class="second">Send a code by ${method === 'sms' ? 'SMS' : 'e-mail'}</button>
      </form>`,
  )}`
}

export const signedInPage = () =>
  layOut({
    title: 'You are signed in',
    main: html` <p class="lead">You can close this page, or sign out on this device.</p>
      <form method="post" action="/sign-in/out">
        <button type="submit" class="second">Sign out</button>
      </form>`,
  })

export const signOutPage = (action: string) =>
  layOut({
    title: 'Sign out?',
    main: html` <p class="lead">
        This ends your sign-in on this device, at every site that you reached with it.
      </p>
      <form method="post" action="${action}"><button type="submit">Sign out</button></form>`,
  })

export const signedOutPage = () =>
  layOut({
    title: 'You are signed out',
    main: html`<p class="lead">You can close this page.</p>
      ${links({ href: '/sign-in', text: 'Sign in again' })}`,
  })

/**
 * For a visitor from another site: browsers send the cookie of a sign-in only along with a step from one of our own
 * pages, so this page takes that step.
 */
export const comingPage = (href: string) =>
  layOut({
    title: 'One moment',
    refresh: href,
    main: html`<p class="lead"><a href="${href}">Continue</a></p>`,
  })
