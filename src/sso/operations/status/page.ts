import { html } from '../../core/pages/html.ts'
import { layOut } from '../../core/pages/layout.ts'
import type { Status } from './status.ts'

/** Component names as people see them. */
const NAMES: Record<string, string> = {
  database: 'Database',
  webhooks: 'Webhooks',
  email: 'E-mail',
  signing_keys: 'Signing keys',
  rate_limits: 'Rate limits',
}

const SUMMARY = {
  operational: 'All systems work.',
  degraded: 'Sign-in works. Something beside it does not work as it should.',
  outage: 'Sign-in does not work at the moment.',
} as const

const WORDS = { operational: 'Works', degraded: 'Degraded', outage: 'Does not work' } as const

/** The status as a page. The state is always a word, never only a colour. */
export const statusPage = ({ status, components, time, version }: Status): string =>
  layOut({
    title: 'Status',
    main: html` <p class="lead"><strong>${SUMMARY[status]}</strong></p>
      <table>
        <caption>
          State of each part
        </caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          ${components.map(
            (part) =>
              html` <tr>
                <th scope="row">${NAMES[part.name] ?? part.name}</th>
                <td>
                  ${WORDS[part.status]}${part.latency_ms !== null && html` (${part.latency_ms} ms)`}${
                    part.reason !== undefined && html`: ${part.reason}`
                  }
                </td>
              </tr>`,
          )}
        </tbody>
      </table>`,
    footer: html`<p>Version ${version}, seen at <time datetime="${time}">${time}</time></p>`,
  })
