import { type Html, html } from '../../core/pages/html.ts'
import { field, form, layOut, links } from '../../core/pages/layout.ts'
import { keyForm } from './enrol-pages.ts'
import type { FormState } from './faults.ts'
import { t } from './words.ts'

/** Shown by the script of the page, where the browser knows passkeys and the link brought its token. */
export const passkeyChoice = (
  action: string,
  { form_token, token = '' }: { form_token: string; token?: string | undefined },
): Html =>
  html`<section data-passkey-choice hidden>
    <p class="lead">${t('passkey_lead')}</p>
    <form method="post" action="${action}" data-takes-fragment>
      <input type="hidden" name="form_token" value="${form_token}" />
      <input type="hidden" name="token" value="${token}" />
      <button type="submit" id="passkey">${t('create_passkey')}</button>
    </form>
    <h2>${t('or_password')}</h2>
  </section>`

type LinkPage = FormState & { page: string; action: string; create: string; token: string }

/** The fragment carries the token back to the page of the link; it never leaves the browser. */
const toPassword = ({ page, token }: LinkPage) => ({
  href: `${page}#token=${token}`,
  text: t('password_instead'),
})

const tokenOf = (token: string) => html`<input type="hidden" name="token" value="${token}" />`

/** For an account that has a factor: the mailbox alone does not open it. */
export const codeFirstPage = ({ has_codes, ...state }: LinkPage & { has_codes: boolean }) =>
  layOut({
    title: t('recover_title'),
    faults: state.faults,
    main: html` <p class="lead">${t(has_codes ? 'recover_lead' : 'recover_no_codes')}</p>
      ${
        has_codes &&
        form(
          state.action,
          state.form_token,
          html` ${tokenOf(state.token)}
            ${field({ name: 'recovery_code', label: t('recovery_code'), autocomplete: 'off', isName: true, isFirst: true, faults: state.faults })}
            <button type="submit">${t('continue')}</button>`,
        )
      }
      <p class="hint">${t('recover_help')}</p>
      ${links(toPassword(state))}`,
  })

type NewPasskey = LinkPage & { email: string; recovery_code: string | undefined; public_key: object }

export const newPasskeyPage = ({ email, recovery_code, public_key, ...state }: NewPasskey) =>
  layOut({
    title: t('create_passkey'),
    faults: state.faults,
    script: 'passkey.js',
    main: html` <p class="lead">${t('create_lead', { email })}</p>
      ${keyForm(
        state.create,
        state.form_token,
        html`${tokenOf(state.token)}
        ${recovery_code !== undefined && html`<input type="hidden" name="recovery_code" value="${recovery_code}" />`}`,
        { public_key, button: t('create_now'), fault: t('no_passkey_made') },
      )}
      ${links(toPassword(state))}`,
  })

/** Recovery codes are shown once. */
export const recoveryCodesPage = (codes: readonly string[], next: string) =>
  layOut({
    title: t('your_codes'),
    main: html`<p class="lead">${t('your_codes_lead')}</p>
      <ul class="codes">
        ${codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ul>
      ${links({ href: next, text: t('kept') })}`,
  })

export const passkeySavedPage = () =>
  layOut({
    title: t('passkey_saved'),
    main: html` <p class="lead">${t('passkey_saved_lead')}</p>
      ${links({ href: '/sign-in', text: t('sign_in') })}`,
  })
