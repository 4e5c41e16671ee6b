import { type Html, html, textsOf, timeOf } from '../../core/pages/html.ts'
import { layOut } from '../../core/pages/layout.ts'
import type { Status } from './status.ts'
import words from './words.json' with { type: 'json' }

const t = textsOf(words)
const nameOf = (name: string) => (Object.hasOwn(words, name) ? t(name as keyof typeof words) : html`${name}`)

/** The status as a page. The state is always a word, never only a colour. */
export const statusPage = ({ status, components, time, version }: Status): Html =>
  layOut({
    title: t('title'),
    main: html` <p class="lead"><strong>${t(`all_${status}`)}</strong></p>
      <table>
        <caption>
          ${t('caption')}
        </caption>
        <thead>
          <tr>
            <th scope="col">${t('part')}</th>
            <th scope="col">${t('state')}</th>
          </tr>
        </thead>
        <tbody>
          ${components.map(
            (part) =>
              html` <tr>
                <th scope="row">${nameOf(part.name)}</th>
                <td>
                  ${t(part.status)}${part.latency_ms !== null && t('latency', { ms: part.latency_ms })}${
                    part.reason !== undefined && html`: ${part.reason}`
                  }
                </td>
              </tr>`,
          )}
        </tbody>
      </table>`,
    footer: html`<p>
      ${t('seen', { version, time: html`${timeOf(time, { dateStyle: 'medium', timeStyle: 'medium' })} UTC` })}
    </p>`,
  })
