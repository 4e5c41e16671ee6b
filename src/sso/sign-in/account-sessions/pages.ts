import { type Html, html } from '../../core/pages/html.ts'
import { form, layOut, links } from '../../core/pages/layout.ts'
import type { Session } from '../../people/sessions/list.ts'
import type { Happening } from './activity.ts'

const overview = { href: '/account', text: 'Back to your account' }

type SessionsPage = {
  sessions: readonly Session[]
  total: number
  form_token: string
  notice?: string | undefined
}

/** Where a person is signed in, each session with a button to end it. */
export const sessionsPage = ({ sessions, total, form_token, notice }: SessionsPage) =>
  layOut({
    title: 'Where you are signed in',
    main: html`${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
      <p class="lead">
        ${total > sessions.length ? `The newest ${sessions.length} of ${total} sessions.` : 'Do you know all of these? End what is not yours, and change your password.'}
      </p>
      ${sessions.map((session) => entryOf(session, form_token))}
      ${total > 1 && form('/account/sessions', form_token, html`<button type="submit">End all other sessions</button>`)}
      ${links({ href: '/account/activity', text: 'What happened with your account' }, overview)}`,
  })

const entryOf = ({ session_id, current, ...session }: Session, form_token: string): Html =>
  html`<article class="site" aria-labelledby="session-${session_id}">
    <h2 id="session-${session_id}">
      ${deviceOf(session)}${current && html` <span class="mark">this browser</span>`}
    </h2>
    <dl class="facts">
      <div>
        <dt>Site</dt>
        <dd>${session.site_code}</dd>
      </div>
      <div>
        <dt>Address</dt>
        <dd>${session.ip_address ?? 'unknown'}</dd>
      </div>
      <div>
        <dt>Signed in</dt>
        <dd><time datetime="${session.created_at}">${timeOf(session.created_at)}</time></dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd><time datetime="${session.last_seen_at}">${timeOf(session.last_seen_at)}</time></dd>
      </div>
    </dl>
    ${
      !current &&
      html`<form method="post" action="/account/sessions">
        <input type="hidden" name="form_token" value="${form_token}" />
        <input type="hidden" name="session_id" value="${session_id}" />
        <button type="submit" class="second" aria-describedby="session-${session_id}">
          End this session
        </button>
      </form>`
    }
  </article>`

/** The name of a browser and of a system; "A program" for what is no browser. */
function deviceOf({ device_name, user_agent }: Pick<Session, 'device_name' | 'user_agent'>): string {
  if (device_name !== null) return device_name
  const agent = user_agent ?? ''
  const browser = BROWSERS.find(([pattern]) => pattern.test(agent))?.[1]
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1]
  if (browser === undefined) return system === undefined ? 'A program' : `A program on ${system}`
  return system === undefined ? browser : `${browser} on ${system}`
}

const BROWSERS: [RegExp, string][] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/** The newest security events of a person. */
export const activityPage = (happened: readonly Happening[]) =>
  layOut({
    title: 'What happened with your account',
    main: html`<p class="lead">
        Sign-ins and changes, newest first. If something was not you, change your password.
      </p>
      <ol class="events">
        ${happened.map(
          ({ words, occurred_at, site_name, ip_address, is_own }) =>
            html`<li>
              <strong>${words}</strong>
              <span class="hint"
                ><time datetime="${occurred_at}">${timeOf(occurred_at)}</time
                >${site_name !== null && html` · ${site_name}`}${
                  is_own ? ip_address !== null && html` · ${ip_address}` : html` · by somebody else`
                }</span
              >
            </li>`,
        )}
      </ol>
      ${links({ href: '/account/sessions', text: 'Where you are signed in' }, overview)}`,
  })

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const timeOf = (time: string) => `${TIME.format(new Date(time))} UTC`
