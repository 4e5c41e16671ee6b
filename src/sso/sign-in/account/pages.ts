import { type Html, html } from '../../core/pages/html.ts'
import { field, form, layOut, links } from '../../core/pages/layout.ts'
import type { FormState } from '../hosted/faults.ts'
import { newPassword } from '../hosted/sign-in-pages.ts'
import { type SecondFactorForms, secondFactorForms } from '../hosted/second-factor-forms.ts'

const overview = { href: '/account', text: 'Back to your account' }

export type Overview = {
  email: string
  display_name: string | null
  pending_email: string | null
  has_password: boolean
  has_factor: boolean
  recovery_codes_left: number
}

export const accountPage = ({
  email,
  display_name,
  pending_email,
  has_password,
  has_factor,
  recovery_codes_left,
  form_token,
}: Overview & FormState) =>
  layOut({
    title: 'Your account',
    main: html` <p class="lead">${display_name !== null && html`${display_name}, `}${email}</p>
      ${pending_email !== null && html`<p class="lead" role="status">${pending_email} takes its place once you open the link that we sent there.</p>`}
      ${adviceOf(has_factor, recovery_codes_left)}
      <nav aria-label="Your account">
        ${links(
          { href: '/account/profile', text: 'Your name and profile' },
          { href: '/account/security', text: 'Second step at sign-in' },
          { href: '/account/sessions', text: 'Where you are signed in' },
          { href: '/account/activity', text: 'What happened with your account' },
          { href: '/account/email', text: 'Change the e-mail address' },
          has_password
            ? { href: '/account/password', text: 'Change the password' }
            : { href: '/forgot-password', text: 'Choose a password' },
          { href: '/account/sites', text: 'Sites you use with this account' },
          { href: '/account/erase', text: 'Erase the account' },
          { href: '/sign-out', text: 'Sign out' },
        )}
      </nav>
      ${form('/account/export', form_token, html`<button type="submit" class="second">Download your data</button>`)}`,
  })

/** What is missing for a safe account. */
function adviceOf(has_factor: boolean, recovery_codes_left: number): Html | false {
  if (!has_factor)
    return html`<p class="notice">
      Your password alone opens this account. <a href="/account/security">Add a second step</a>
    </p>`
  if (recovery_codes_left > 0) return false
  return html`<p class="notice">
    You have no recovery codes. If you lose your device, they are the way in.
    <a href="/account/security">Make some</a>
  </p>`
}

const PROFILE_HINTS = {
  username: 'You can sign in with it. 3 to 64 of A–Z a–z 0–9 . _ -',
  locale: 'A language tag such as de or pt-BR',
  time_zone: 'A zone such as Europe/Berlin',
  avatar_url: 'The https address of a picture',
}
type Shown = Record<'display_name' | keyof typeof PROFILE_HINTS, string | null>

export const profilePage = ({
  profile,
  version,
  form_token,
  faults,
  notice,
}: FormState & { profile: Shown; version: number; notice?: string | undefined }) => {
  const text = (name: keyof Shown, label: string, autocomplete: string, isName = true) =>
    field({
      name,
      label,
      autocomplete,
      value: profile[name] ?? '',
      isOptional: true,
      isName,
      faults,
      ...(name !== 'display_name' && { hint: PROFILE_HINTS[name] }),
    })
  return layOut({
    title: 'Your name and profile',
    faults,
    main: html`${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
    ${form(
      '/account/profile',
      form_token,
      html`<input type="hidden" name="version" value="${version}" />
        ${text('display_name', 'Name', 'name', false)} ${text('username', 'Username', 'username')}
        ${text('locale', 'Language', 'language')} ${text('time_zone', 'Time zone', 'off')}
        ${text('avatar_url', 'Picture', 'photo')}
        <button type="submit">Save</button>`,
    )}
    ${links(overview)}`,
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
    title: 'Confirm that it is you',
    faults,
    main: html` <p class="lead">
        You are signed in as ${email}. What comes next needs a proof that is not older than 15 minutes.
      </p>
      ${form(
        action,
        form_token,
        has_password
          ? html` ${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', isFirst: true, faults })}
              <button type="submit">Continue</button>`
          : html`<button type="submit">Continue with your second factor</button>`,
      )}
      ${links(...(has_password ? [{ href: '/forgot-password', text: 'Forgot your password?' }] : []), overview)}`,
  })

/**
 * For people who came by an identity provider, or were invited and never chose a password: they have nothing to prove
 * themselves with.
 */
export const noProofPage = (email: string) =>
  layOut({
    title: 'Choose a password first',
    main: html` <p class="lead">
        The account ${email} has no password and no second factor yet, so nothing can show that it is you. We
        send you a link to choose a password; then sign in with it.
      </p>
      ${links({ href: '/forgot-password', text: 'Choose a password' }, overview)}`,
  })

export const confirmFactorPage = (forms: Omit<SecondFactorForms, 'path'>) =>
  layOut({
    title: 'Confirm with your second factor',
    faults: forms.faults,
    script: forms.public_key && 'passkey.js',
    main: html` ${secondFactorForms({ path: '/account/confirm/factor', ...forms })} ${links(overview)}`,
  })

export const emailPage = ({
  email,
  typed,
  form_token,
  faults,
}: FormState & { email: string; typed?: string | undefined }) =>
  layOut({
    title: 'Change the e-mail address',
    faults,
    main: html` <p class="lead">
        Now it is ${email}. It changes once you open the link that we send to the new one.
      </p>
      ${form(
        '/account/email',
        form_token,
        html` ${field({ name: 'email', label: 'New e-mail address', type: 'email', autocomplete: 'email', value: typed, isFirst: true, faults })}
          <button type="submit">Send the link</button>`,
      )}
      ${links(overview)}`,
  })

export const emailAskedPage = (email: string) =>
  layOut({
    title: 'Look into your new mailbox',
    main: html` <p class="lead">
        A link is on its way to ${email}. It works for 24 hours; until then nothing changes.
      </p>
      ${links(overview)}`,
  })

export const passwordPage = ({ email, form_token, faults }: FormState & { email: string }) =>
  layOut({
    title: 'Change the password',
    faults,
    main: html` <p class="lead">Your other sessions end.</p>
      ${form(
        '/account/password',
        form_token,
        html` <input type="hidden" name="username" value="${email}" autocomplete="username" />
          ${field({ name: 'current_password', label: 'Current password', type: 'password', autocomplete: 'current-password', isFirst: true, faults })}
          ${newPassword(faults, 'New password')}
          <button type="submit">Save the password</button>`,
      )}
      ${links({ href: '/forgot-password', text: 'Forgot your password?' }, overview)}`,
  })

export const passwordChangedPage = () =>
  layOut({
    title: 'Your password is saved',
    main: html` <p class="lead">Use it from now on. Your other sessions are ended.</p>
      ${links(overview)}`,
  })
