import { type Organisation, startOf } from './organisations.ts'
import { type SecondFactorForms, secondFactorForms } from './second-factor-forms.ts'
import type { Destination } from './destination.ts'
import type { Shown } from './faults.ts'
import { type Html, html } from '../../core/pages/html.ts'
import { type Fault, field, form, layOut, links } from '../../core/pages/layout.ts'
import { t } from './words.ts'

/** Names the site, so that nobody gives it a password unknowingly. The site chose the name itself. */
const leadOf = ({ site, site_name }: Destination) =>
  !site.is_first_party &&
  html`<p class="lead">${t('to_continue', { site: html`<strong>${site_name}</strong>` })}</p>`

const footerOf = ({ return_to }: Destination) =>
  return_to !== undefined && html`<p>${t('will_return', { host: new URL(return_to).host })}</p>`

export const signInPage = ({
  destination,
  form_token,
  faults,
  name,
  organisations,
  kept,
  public_key,
}: Shown & {
  name?: string | undefined
  organisations: readonly Organisation[]
  kept?: string | undefined
  /** PublicKeyCredentialRequestOptionsJSON, for whichever passkey the visitor has. */
  public_key: object
}) =>
  layOut({
    title: t('sign_in'),
    faults,
    script: 'passkey-sign-in.js',
    main: html` ${leadOf(destination)}
    ${form(
      `/sign-in${destination.query}`,
      form_token,
      html` ${field({ name: 'name', label: t('email_or_username'), autocomplete: 'username webauthn', value: name, isName: true, isFirst: true, faults })}
        ${field({ name: 'password', label: t('label_password'), type: 'password', autocomplete: 'current-password', faults })}
        <button type="submit">${t('sign_in')}</button>`,
    )}
    ${passkeyForm(`/sign-in/passkey${destination.query}`, form_token, public_key)}
    ${links(
      ...(kept === undefined ? [] : [{ href: kept, text: t('go_on_as_kept') }]),
      ...organisations.map((organisation) => ({
        href: startOf(organisation, destination.query),
        text: t('sign_in_with', { name: organisation.name }),
      })),
      { href: `/forgot-password${destination.query}`, text: t('forgot') },
      { href: `/sign-up${destination.query}`, text: t('create_account') },
    )}`,
    footer: footerOf(destination) || undefined,
  })

/** Stays hidden where no script runs or the browser knows no passkeys. */
const passkeyForm = (action: string, form_token: string, public_key: object): Html =>
  html`<form method="post" action="${action}" data-passkey-sign-in="${JSON.stringify(public_key)}" hidden>
    <input type="hidden" name="form_token" value="${form_token}" />
    <input type="hidden" name="credential" value="" />
    <p class="fault" role="alert" data-passkey-fault hidden>${t('no_passkey_answer')}</p>
    <button type="submit" id="passkey" class="second">${t('sign_in_with_passkey')}</button>
  </form>`

export const signUpPage = ({
  destination,
  form_token,
  faults,
  email,
  display_name,
}: Shown & { email?: string | undefined; display_name?: string | undefined }) =>
  layOut({
    title: t('create_account'),
    faults,
    main: html` ${leadOf(destination)}
    ${form(
      `/sign-up${destination.query}`,
      form_token,
      html` ${field({ name: 'email', label: t('label_email'), type: 'email', autocomplete: 'username', value: email, isFirst: true, faults })}
        ${field({ name: 'display_name', label: t('label_display_name'), autocomplete: 'name', value: display_name, isOptional: true, faults })}
        <p class="hint">${t('sign_up_hint')}</p>
        <button type="submit">${t('create')}</button>`,
    )}
    ${links({ href: `/sign-in${destination.query}`, text: t('have_account') })}`,
    footer: footerOf(destination) || undefined,
  })

export const newPassword = (faults: readonly Fault[] | undefined, label = t('label_password')): Html =>
  field({
    name: 'password',
    label,
    type: 'password',
    autocomplete: 'new-password',
    hint: t('password_hint'),
    faults,
  })

type SecondFactorPage = Shown & Omit<SecondFactorForms, 'path' | 'query'>

export const secondFactorPage = ({ destination, ...asked }: SecondFactorPage) =>
  layOut({
    title: t('confirm_you'),
    faults: asked.faults,
    script: asked.public_key && 'passkey.js',
    main: html` ${secondFactorForms({ path: '/sign-in/mfa', query: destination.query, ...asked })}
    ${links({ href: `/sign-in${destination.query}`, text: t('somebody_else') })}`,
    footer: footerOf(destination) || undefined,
  })

export const signedInPage = () =>
  layOut({
    title: t('signed_in'),
    main: html` <p class="lead">${t('signed_in_lead')}</p>
      <form method="post" action="/sign-in/out">
        <button type="submit" class="second">${t('sign_out')}</button>
      </form>`,
  })

export const signOutPage = (action: string) =>
  layOut({
    title: t('sign_out_title'),
    main: html` <p class="lead">${t('sign_out_lead')}</p>
      <form method="post" action="${action}"><button type="submit">${t('sign_out')}</button></form>`,
  })

export const signedOutPage = () =>
  layOut({
    title: t('signed_out'),
    main: html`<p class="lead">${t('close_page')}</p>
      ${links({ href: '/sign-in', text: t('sign_in_once_more') })}`,
  })

/**
 * For a visitor from another site. Browsers send the sign-in cookie only on navigation from one of our own pages, so
 * this page navigates on.
 */
export const comingPage = (href: string) =>
  layOut({
    title: t('one_moment'),
    refresh: href,
    main: html`<p class="lead"><a href="${href}">${t('continue')}</a></p>`,
  })
