import { type Organisation, startOf } from './organisations.ts'
import { type SecondFactorForms, secondFactorForms } from './second-factor-forms.ts'
import type { Destination } from './destination.ts'
import type { FormState } from './faults.ts'
import { type Html, html } from '../../core/pages/html.ts'
import { type Fault, field, form, layOut, links } from '../../core/pages/layout.ts'

export type Shown = FormState & { destination: Destination }

/** Names the site, so that nobody gives it a password unknowingly. The site chose the name itself. */
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

type SecondFactorPage = Shown & Omit<SecondFactorForms, 'path' | 'query'>

export const secondFactorPage = ({ destination, ...asked }: SecondFactorPage) =>
  layOut({
    title: 'Confirm that it is you',
    faults: asked.faults,
    script: asked.public_key && 'passkey.js',
    main: html` ${secondFactorForms({ path: '/sign-in/mfa', query: destination.query, ...asked })}
    ${links({ href: `/sign-in${destination.query}`, text: 'Sign in as somebody else' })}`,
    footer: footerOf(destination) || undefined,
  })

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
 * For a visitor from another site. Browsers send the sign-in cookie only on navigation from one of our own pages, so
 * this page navigates on.
 */
export const comingPage = (href: string) =>
  layOut({
    title: 'One moment',
    refresh: href,
    main: html`<p class="lead"><a href="${href}">Continue</a></p>`,
  })
