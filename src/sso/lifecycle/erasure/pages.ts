import { html, textsOf } from '../../core/pages/html.ts'
import { type Fault, field, form, layOut, type Link, links } from '../../core/pages/layout.ts'
import words from './words.json' with { type: 'json' }

export const t = textsOf(words)

type Shown = { form_token: string; faults?: readonly Fault[] | undefined }

export type Erasing = {
  action: string
  /** The link for a visitor who decides against it. */
  back: Link
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
    title: t('title'),
    faults,
    main: html` <p class="lead">${t('lead', { email: html`<strong>${email}</strong>` })}</p>
      <ul class="facts">
        <li>${t('removed')}</li>
        <li>${t('signed_out')}</li>
        ${
          site_names.length > 0 &&
          html`<li>
            ${t('told')}
            <ul>
              ${site_names.map((name) => html`<li>${name}</li>`)}
            </ul>
          </li>`
        }
        <li>${t('kept')}</li>
      </ul>
      ${
        is_fresh
          ? form(
              action,
              form_token,
              html` ${field({ name: 'confirmation', label: t('your_email'), autocomplete: 'off', hint: t('type_email', { email }), isName: true, faults })}
                <button type="submit" class="danger">${t('erase')}</button>`,
            )
          : form(action, form_token, html`<button type="submit">${t('continue')}</button>`)
      }
      ${links(back)}`,
  })

export const erasedPage = () =>
  layOut({
    title: t('erased'),
    main: html`<p class="lead">${t('erased_lead')}</p>`,
  })
