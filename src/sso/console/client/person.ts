import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf } from '#foundation/web/client/api.ts'
import { ago, exact } from '#foundation/web/client/format.ts'
import { openPage, takeFirst, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { badge, copyButton, facts } from '#foundation/web/client/parts.ts'
import { createTable } from '#foundation/web/client/table.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { AuditLine, Membership, Standing, User } from './api-types.ts'
import { historyOf, personOf, standingOf } from './first-calls.ts'
import * as acts from './person-acts.ts'
import { PERSON_TEXTS } from './person-texts.ts'

/* Console › People › one person: the account, what they are at which site, and everything that may be done. */

const t = texts(PERSON_TEXTS)
const is_operator = takeFirst('is_operator') === true
const user_id = location.pathname.split('/').at(-1) ?? ''

let user: User | undefined
let standing: Standing | undefined
let fault = ''
/** The site whose log an ADMIN reads. */
let read_site: string | undefined

const update = openPage(view)
const history = createTable<AuditLine>({
  label: t('history'),
  // An ADMIN reads the log of one site; an operator that of all.
  path: (cursor) =>
    historyOf(user_id, is_operator ? undefined : (read_site ?? standing?.memberships[0]?.site_code), cursor),
  empty: t('no_history'),
  keyOf: ({ audit_id }) => audit_id,
  update: () => update(),
  columns: [
    { title: t('time'), cell: ({ occurred_at }) => ago(occurred_at) },
    { title: t('action'), cell: ({ action }) => html`<code>${action}</code>` },
    { title: t('actor'), cell: actorOf },
    { title: t('site'), cell: ({ site_code }) => site_code ?? '–' },
    { title: t('place'), cell: ({ ip_address }) => ip_address ?? '–' },
  ],
})

function actorOf({ actor_user_id }: AuditLine): TemplateResult | string {
  if (actor_user_id === null) return '–'
  if (actor_user_id === user_id) return t('themselves')
  return html`<a href="/console/people/${actor_user_id}" title=${actor_user_id}
    >${actor_user_id.slice(0, 8)}</a
  >`
}

async function load(): Promise<void> {
  try {
    ;[user, standing] = await Promise.all([get<User>(personOf(user_id)), get<Standing>(standingOf(user_id))])
    fault = ''
    const heading = document.querySelector('h1')
    if (heading) heading.textContent = user.display_name ?? user.email
  } catch (error) {
    fault = refusalOf(error).message
  }
  update()
}

const tell = (error: unknown) => toast(refusalOf(error).message)

/** After an act: everything is read again, and the person is told. */
const done = async (text?: string): Promise<void> => {
  await Promise.all([load(), history.refresh()])
  if (text) toast(text)
}

function view(): TemplateResult {
  if (!user || !standing)
    return fault ? html`<p class="fault" role="alert">${fault}</p>` : html`<p class="empty">…</p>`
  const scene = { user, standing, done }
  return html`${fault ? html`<p class="fault" role="alert">${fault}</p>` : nothing} ${accountOf(scene)}
    ${sitesOf(scene)} ${factorsOf(scene)} ${sessionsOf(scene)}
    <section>
      <div class="bar">
        <h2>${t('history')}</h2>
        ${is_operator ? html`<a href="/console/audit?subject=${user_id}">${t('all_history')}</a>` : logChoice(standing)}
      </div>
      ${history.view()}
    </section>
    ${standing.is_self ? nothing : dangerOf(scene)}`
}

function logChoice({ memberships }: Standing): TemplateResult | typeof nothing {
  if (memberships.length < 2) return nothing
  const change = (event: Event) => {
    read_site = (event.target as HTMLSelectElement).value
    void history.load()
  }
  return html`<label class="choice"
    ><span>${t('site')}</span>
    <select @change=${change}>
      ${memberships.map(({ site_code, name }) => html`<option value=${site_code}>${name}</option>`)}
    </select></label
  >`
}

function accountOf(scene: acts.Scene): TemplateResult {
  const { user: shown, standing: has } = scene
  return html`<section>
    <div class="bar">
      <h2>${t('is_person')}</h2>
      ${badge(t(shown.status), shown.status === 'active' ? 'good' : 'warn')}
      ${
        has.is_self
          ? nothing
          : html`<button
              type="button"
              class="second small"
              ?disabled=${!has.is_exclusive}
              @click=${() => acts.editProfile(scene)}
            >
              ${t('edit')}
            </button>`
      }
    </div>
    ${has.is_self ? html`<p>${t('self_text')} <a href="/account">${t('your_account')}</a></p>` : nothing}
    ${has.is_self || has.is_exclusive ? nothing : html`<p class="quiet-text">${t('shared_text')}</p>`}
    ${facts([
      [t('email'), html`${shown.email} ${shown.email_verified ? nothing : badge(t('unconfirmed'), 'warn')}`],
      ...(['display_name', 'given_name', 'family_name', 'username', 'phone', 'avatar_url'] as const).flatMap(
        (name) => (shown[name] === null ? [] : [[t(name), shown[name]] as const]),
      ),
      ...(shown.locale || shown.time_zone
        ? [[t('locale_name'), [shown.locale, shown.time_zone].filter(Boolean).join(' · ')] as const]
        : []),
      [t('last'), shown.last_login_at === null ? t('never') : exact(shown.last_login_at)],
      [t('since'), exact(shown.created_at)],
      [t('source'), t(shown.registration_source)],
      [t('id'), html`${user_id} ${copyButton(user_id)}`],
    ])}
  </section>`
}

/** A table of what is here already. `act` heads the column of buttons. */
const tableOf = (label: string, titles: readonly string[], rows: readonly TemplateResult[], empty: string) =>
  rows.length === 0
    ? html`<p class="empty">${empty}</p>`
    : html`<div class="scroll" role="region" tabindex="0" aria-label=${label}>
        <table>
          <thead>
            <tr>
              ${titles.map((title) => html`<th scope="col">${title}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${rows}
          </tbody>
        </table>
      </div>`

function sitesOf(scene: acts.Scene): TemplateResult {
  const { is_self, memberships } = scene.standing
  const row = (one: Membership) =>
    html`<tr>
      <td dir="auto">${one.name}</td>
      <td>${one.role}</td>
      <td>${badge(t(one.status), one.status === 'active' ? 'good' : 'warn')}</td>
      <td dir="auto">${one.external_id ?? '–'}</td>
      <td>
        <span class="cut short" title=${one.scopes.join(', ')}>${one.scopes.join(', ') || '–'}</span>
      </td>
      <td>${ago(one.joined_at)}</td>
      <td>${is_self ? nothing : membershipActs(scene, one)}</td>
    </tr>`
  const titles = [t('site'), t('role'), t('state'), t('external_id'), t('shares'), t('since'), t('change')]
  return html`<section>
    <div class="bar">
      <h2>${t('sites')}</h2>
      ${
        is_self
          ? nothing
          : html`<button type="button" class="second small" @click=${() => acts.addToSite(scene).catch(tell)}>
              ${t('add_site')}
            </button>`
      }
    </div>
    ${tableOf(t('sites'), titles, memberships.map(row), t('no_sites_of_person'))}
  </section>`
}

const membershipActs = (scene: acts.Scene, one: Membership) =>
  html`<button type="button" class="second small" @click=${() => acts.changeMembership(scene, one)}>
      ${t('change')}
    </button>
    ${
      one.role === 'USER'
        ? nothing
        : html`<button type="button" class="quiet small" @click=${() => acts.withdrawRole(scene, one)}>
            ${t('withdraw')}
          </button>`
    }`

function factorsOf(scene: acts.Scene): TemplateResult {
  const { mfa_methods } = scene.user
  const { is_self, is_exclusive } = scene.standing
  return html`<section>
    <div class="bar">
      <h2>${t('factor')}</h2>
      ${
        is_self || mfa_methods.length === 0
          ? nothing
          : html`<button
              type="button"
              class="second small"
              ?disabled=${!is_exclusive}
              @click=${() => acts.resetFactors(scene)}
            >
              ${t('reset')}
            </button>`
      }
    </div>
    ${mfa_methods.length === 0 ? html`<p class="quiet-text">${t('no_factors')}</p>` : mfa_methods.map((one) => badge(one, 'good'))}
  </section>`
}

function sessionsOf(scene: acts.Scene): TemplateResult {
  const { sessions, is_self } = scene.standing
  const row = (one: Standing['sessions'][number]) =>
    html`<tr>
      <td dir="auto">
        <span class="cut" title=${one.user_agent ?? ''}>${one.device_name ?? one.user_agent ?? '–'}</span>
      </td>
      <td>${one.site_code}</td>
      <td>${one.ip_address ?? '–'}</td>
      <td>${one.auth_methods.join(', ')}</td>
      <td>${ago(one.last_seen_at)}</td>
      <td>
        ${
          is_self
            ? nothing
            : html`<button
                type="button"
                class="second small"
                @click=${() => acts.endSession(scene, one.session_id, one.site_code)}
              >
                ${t('end')}
              </button>`
        }
      </td>
    </tr>`
  const titles = [t('device'), t('site'), t('place'), t('method'), t('seen'), t('end')]
  return html`<section>
    <div class="bar">
      <h2>${t('sessions')}</h2>
      ${
        is_self || sessions.length === 0
          ? nothing
          : html`<button type="button" class="second small" @click=${() => acts.endSessions(scene)}>
              ${t('end_all')}
            </button>`
      }
    </div>
    ${tableOf(t('sessions'), titles, sessions.map(row), t('no_sessions'))}
  </section>`
}

function dangerOf(scene: acts.Scene): TemplateResult {
  const { user: shown, standing: has } = scene
  const isActive = shown.status === 'active'
  return html`<section>
    <h2>${t('danger')}</h2>
    <div class="actions">
      <button
        type="button"
        class="second"
        ?disabled=${!has.is_exclusive}
        @click=${() => acts.setStatus(scene)}
      >
        ${t(isActive ? 'suspend' : 'reactivate')}
      </button>
      <button type="button" class="danger" @click=${() => acts.erase(scene)}>${t('erase')}</button>
    </div>
  </section>`
}

openPaletteByKey()
void load().then(() => history.load())
