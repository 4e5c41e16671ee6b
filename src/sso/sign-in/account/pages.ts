import { LANGUAGES } from '#foundation/web/client/texts.ts'
import { type Html, html } from '../../core/pages/html.ts'
import { field, form, layOut, links } from '../../core/pages/layout.ts'
import type { FormState } from '../hosted/faults.ts'
import { newPassword } from '../hosted/sign-in-pages.ts'
import { type SecondFactorForms, secondFactorForms } from '../hosted/second-factor-forms.ts'
import { t, toOverview } from './words.ts'

export type Overview = {
  email: string
  display_name: string | null
  pending_email: string | null
  email_verified: boolean
  has_password: boolean
  has_factor: boolean
  /** Signs in alone. */
  has_passkey: boolean
  recovery_codes_left: number
}

export const accountPage = ({ form_token, ...account }: Overview & FormState) => {
  const { email, display_name, pending_email, has_password } = account
  const missing = adviceOf(account)
  return layOut({
    title: t('account'),
    main: html` <p class="lead">${display_name !== null && html`${display_name}, `}${email}</p>
      ${pending_email !== null && html`<p class="lead" role="status">${t('pending', { email: pending_email })}</p>`}
      ${
        missing.length > 0 &&
        html`<section class="notice" aria-labelledby="missing">
          <h2 id="missing">${t('missing')}</h2>
          <ul>
            ${missing.map((advice) => html`<li>${advice}</li>`)}
          </ul>
        </section>`
      }
      <nav aria-label="${t('account')}">
        ${links(
          { href: '/account/profile', text: t('profile') },
          { href: '/account/security', text: t('security') },
          { href: '/account/sessions', text: t('sessions') },
          { href: '/account/activity', text: t('activity') },
          { href: '/account/email', text: t('change_email') },
          has_password
            ? { href: '/account/password', text: t('change_password') }
            : { href: '/forgot-password', text: t('choose_password') },
          { href: '/account/sites', text: t('sites') },
          { href: '/account/erase', text: t('erase') },
          { href: '/sign-out', text: t('sign_out') },
        )}
      </nav>
      ${form('/account/export', form_token, html`<button type="submit" class="second">${t('download')}</button>`)}`,
  })
}

/** What is missing for a safe account. */
function adviceOf({
  has_password,
  has_passkey,
  email_verified,
  has_factor,
  recovery_codes_left,
}: Overview): Html[] {
  const link = (href: string, text: Parameters<typeof t>[0]) => html`<a href="${href}">${t(text)}</a>`
  return [
    ...(has_password || has_passkey
      ? []
      : [t('no_password', { link: link('/forgot-password', 'choose_password') })]),
    ...(email_verified ? [] : [t('unverified', { link: link('/forgot-password', 'unverified_link') })]),
    ...(has_password && !has_factor
      ? [t('no_factor', { link: link('/account/security', 'add_factor') })]
      : []),
    ...(has_factor && recovery_codes_left === 0
      ? [t('no_codes', { link: link('/account/security', 'make_codes') })]
      : []),
  ]
}

type ProfileField = 'display_name' | 'username' | 'locale' | 'time_zone' | 'avatar_url'
type Shown = Record<ProfileField, string | null>

/** What people choose from, so that nobody has to know the tag of a language or the name of a zone. */
const PROPOSALS: Partial<Record<ProfileField, () => { value: string; label?: string }[]>> = {
  locale: () =>
    LANGUAGES.map((value) => ({
      value,
      label: new Intl.DisplayNames(value, { type: 'language' }).of(value) ?? value,
    })),
  time_zone: () => Intl.supportedValuesOf('timeZone').map((value) => ({ value })),
}

export const profilePage = ({
  profile,
  was,
  version,
  form_token,
  faults,
  notice,
}: FormState & { profile: Shown; was: Shown; version: number; notice?: Html | undefined }) => {
  const text = (name: ProfileField, autocomplete: string) =>
    field({
      name,
      label: t(name),
      autocomplete,
      value: profile[name] ?? '',
      isOptional: true,
      isName: name !== 'display_name',
      faults,
      proposals: PROPOSALS[name]?.() ?? [],
      ...(name !== 'display_name' && { hint: t(`${name}_hint`) }),
    })
  return layOut({
    title: t('profile'),
    faults,
    main: html`${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
    ${form(
      '/account/profile',
      form_token,
      html`<input type="hidden" name="version" value="${version}" />
        ${(Object.keys(profile) as ProfileField[]).map((name) => html`<input type="hidden" name="was_${name}" value="${was[name] ?? ''}" />`)}
        ${text('display_name', 'name')} ${text('username', 'username')} ${text('locale', 'language')}
        ${text('time_zone', 'off')} ${text('avatar_url', 'photo')}
        <button type="submit">${t('save')}</button>`,
    )}
    ${links(toOverview)}`,
  })
}

/** `action` carries the page that asked for the proof, as `to` in its query. */
export const confirmPage = ({
  action,
  email,
  has_password,
  form_token,
  faults,
}: FormState & { action: string; email: string; has_password: boolean }) =>
  layOut({
    title: t('confirm_title'),
    faults,
    main: html` <p class="lead">${t('confirm_lead', { email })}</p>
      ${form(
        action,
        form_token,
        has_password
          ? html` ${field({ name: 'password', label: t('password'), type: 'password', autocomplete: 'current-password', isFirst: true, faults })}
              <button type="submit">${t('continue')}</button>`
          : html`<button type="submit">${t('continue_factor')}</button>`,
      )}
      ${links(...(has_password ? [{ href: '/forgot-password', text: t('forgot') }] : []), toOverview)}`,
  })

/**
 * For people who came by an identity provider, or were invited and never chose a password: they have nothing to prove
 * themselves with.
 */
export const noProofPage = (email: string) =>
  layOut({
    title: t('no_proof_title'),
    main: html` <p class="lead">${t('no_proof_lead', { email })}</p>
      ${links({ href: '/forgot-password', text: t('choose_password') }, toOverview)}`,
  })

export const confirmFactorPage = (forms: Omit<SecondFactorForms, 'path'>) =>
  layOut({
    title: t('confirm_factor_title'),
    faults: forms.faults,
    script: forms.public_key && 'passkey.js',
    main: html` ${secondFactorForms({ path: '/account/confirm/factor', ...forms })} ${links(toOverview)}`,
  })

export const emailPage = ({
  email,
  typed,
  form_token,
  faults,
}: FormState & { email: string; typed?: string | undefined }) =>
  layOut({
    title: t('change_email'),
    faults,
    main: html` <p class="lead">${t('email_lead', { email })}</p>
      ${form(
        '/account/email',
        form_token,
        html` ${field({ name: 'email', label: t('new_email'), type: 'email', autocomplete: 'email', value: typed, isFirst: true, faults })}
          <button type="submit">${t('send_link')}</button>`,
      )}
      ${links(toOverview)}`,
  })

export const emailAskedPage = (email: string) =>
  layOut({
    title: t('email_asked_title'),
    main: html` <p class="lead">${t('email_asked_lead', { email })}</p>
      ${links(toOverview)}`,
  })

export const passwordPage = ({ email, form_token, faults }: FormState & { email: string }) =>
  layOut({
    title: t('change_password'),
    faults,
    main: html` <p class="lead">${t('others_end')}</p>
      ${form(
        '/account/password',
        form_token,
        html` <input type="hidden" name="username" value="${email}" autocomplete="username" />
          ${field({ name: 'current_password', label: t('current_password'), type: 'password', autocomplete: 'current-password', isFirst: true, faults })}
          ${newPassword(faults, t('new_password'))}
          <button type="submit">${t('save_password')}</button>`,
      )}
      ${links({ href: '/forgot-password', text: t('forgot') }, toOverview)}`,
  })

export const passwordChangedPage = () =>
  layOut({
    title: t('password_saved'),
    main: html` <p class="lead">${t('password_saved_lead')}</p>
      ${links(toOverview)}`,
  })
