import { html } from '../../core/pages/html.ts'
import { type Fault, field, form, layOut, links } from '../../core/pages/layout.ts'

type Shown = { form_token: string; faults?: readonly Fault[] | undefined }

export type Erasing = {
  action: string
  /** The link for a visitor who decides against it. */
  back: { href: string; text: string }
  email: string
  site_names: string[]
  is_fresh: boolean
}

export const erasePage = ({
  action,
  back,
  email,
  site_names,
  is_fresh,
  form_token,
  faults,
}: Erasing & Shown) =>
  layOut({
    title: 'Erase your account',
    faults,
    main: html` <p class="lead">
        This erases the account <strong>${email}</strong>. It cannot be taken back.
      </p>
      <ul class="facts">
        <li>Your name, addresses, password, second factors and sign-ins are removed at once.</li>
        <li>You are signed out everywhere, and the address is free for a new account.</li>
        ${
          site_names.length > 0 &&
          html`<li>
            These sites are told to forget you:
            <ul>
              ${site_names.map((name) => html`<li>${name}</li>`)}
            </ul>
          </li>`
        }
        <li>Of orders and the record of the erasure itself only a number without your name is kept.</li>
      </ul>
      ${
        is_fresh
          ? form(
              action,
              form_token,
              html` ${field({ name: 'confirmation', label: 'Your e-mail address', autocomplete: 'off', hint: `Type ${email} to confirm.`, isName: true, faults })}
                <button type="submit" class="danger">Erase my account</button>`,
            )
          : form(action, form_token, html`<button type="submit">Continue</button>`)
      }
      ${links(back)}`,
  })

export const erasedPage = () =>
  layOut({
    title: 'Your account is erased',
    main: html`<p class="lead">What was kept about you is gone. You can close this page.</p>`,
  })
