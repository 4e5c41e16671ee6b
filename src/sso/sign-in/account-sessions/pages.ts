import { type Html, html, textsOf, timeOf } from '../../core/pages/html.ts'
import { form, layOut, links } from '../../core/pages/layout.ts'
import type { Session } from '../../people/sessions/list.ts'
import { toOverview } from '../account/words.ts'
import activity from './activity-words.json' with { type: 'json' }
import type { Happening } from './activity.ts'
import words from './words.json' with { type: 'json' }

export const t = textsOf(words)
const happened = textsOf(activity)

type SessionsPage = {
  sessions: readonly Session[]
  total: number
  form_token: string
  notice?: Html | undefined
}

/** Where a person is signed in, each session with a button to end it. */
export const sessionsPage = ({ sessions, total, form_token, notice }: SessionsPage) =>
  layOut({
    title: t('title'),
    main: html`${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
      <p class="lead">
        ${total > sessions.length ? t('newest', { shown: sessions.length, total }) : t('lead')}
      </p>
      ${sessions.map((session) => entryOf(session, form_token))}
      ${total > 1 && form('/account/sessions', form_token, html`<button type="submit">${t('end_others')}</button>`)}
      ${links({ href: '/account/activity', text: t('activity') }, toOverview)}`,
  })

const entryOf = ({ session_id, current, ...session }: Session, form_token: string): Html =>
  html`<article class="site" aria-labelledby="session-${session_id}">
    <h2 id="session-${session_id}">
      ${deviceOf(session)}${current && html` <span class="mark">${t('this_browser')}</span>`}
    </h2>
    <dl class="facts">
      <div>
        <dt>${t('site')}</dt>
        <dd>${session.site_code}</dd>
      </div>
      <div>
        <dt>${t('address')}</dt>
        <dd>${session.ip_address ?? t('unknown')}</dd>
      </div>
      <div>
        <dt>${t('signed_in')}</dt>
        <dd>${momentOf(session.created_at)}</dd>
      </div>
      <div>
        <dt>${t('last_used')}</dt>
        <dd>${momentOf(session.last_seen_at)}</dd>
      </div>
    </dl>
    ${
      !current &&
      html`<form method="post" action="/account/sessions">
        <input type="hidden" name="form_token" value="${form_token}" />
        <input type="hidden" name="session_id" value="${session_id}" />
        <button type="submit" class="second" aria-describedby="session-${session_id}">${t('end')}</button>
      </form>`
    }
  </article>`

/** The name of a browser and of a system; "A program" for what is no browser. */
function deviceOf({ device_name, user_agent }: Pick<Session, 'device_name' | 'user_agent'>): Html {
  if (device_name !== null) return html`${device_name}`
  const agent = user_agent ?? ''
  const browser = BROWSERS.find(([pattern]) => pattern.test(agent))?.[1]
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1]
  const what = browser === undefined ? t('program') : html`${browser}`
  return system === undefined ? what : t('on', { what, system })
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
export const activityPage = (happenings: readonly Happening[]) =>
  layOut({
    title: t('activity'),
    main: html`<p class="lead">${t('activity_lead')}</p>
      <ol class="events">
        ${happenings.map(
          ({ action, occurred_at, site_name, ip_address, is_own, is_by_other }) =>
            html`<li>
              <strong>${happened(action)}</strong>
              <span class="hint"
                >${momentOf(occurred_at)}${site_name !== null && html` · ${site_name}`}${
                  is_own && ip_address !== null && html` · ${ip_address}`
                }${is_by_other && html` · ${t('by_somebody_else')}`}</span
              >
            </li>`,
        )}
      </ol>
      ${links({ href: '/account/sessions', text: t('title') }, toOverview)}`,
  })

const momentOf = (time: string) => html`${timeOf(time, { dateStyle: 'medium', timeStyle: 'short' })} UTC`
