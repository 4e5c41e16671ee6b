import { html, nothing, type TemplateResult } from 'lit-html'
import { get, send } from '#foundation/web/client/api.ts'
import { openDialog, showDialog } from '#foundation/web/client/dialog.ts'
import { ago, exact } from '#foundation/web/client/format.ts'
import { texts } from '#foundation/web/client/page.ts'
import { copyButton, facts } from '#foundation/web/client/parts.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Connection, NewScimToken, ScimTokens } from './api-types.ts'
import { change, pathOf, rulesIn, rulesOf, typedIn } from './enterprise-forms.ts'
import { SCIM_TEXTS, type ScimText } from './enterprise-scim-texts.ts'

/* The directory of one connection: its address, its tokens, and the roles that its groups give. */

const t = texts(SCIM_TEXTS)
type Token = ScimTokens['items'][number]
type Then = { keep: (saved: Connection) => void; reload: () => Promise<void> }

const pathTo = (connection: Connection) => `${pathOf(connection)}/scim-tokens`
export const scimTokens = (connection: Connection): Promise<ScimTokens> => get<ScimTokens>(pathTo(connection))

export function scimSection(
  connection: Connection,
  tokens: ScimTokens | undefined,
  { keep, reload }: Then,
): TemplateResult {
  return html`<section>
      <div class="bar">
        <h2>${t('directory')}</h2>
        <button type="button" class="second small" @click=${() => make(connection, reload)}>
          ${t('make')}
        </button>
      </div>
      <p>${t('directory_text')}</p>
      ${
        tokens === undefined
          ? nothing
          : facts([
              [
                t('address'),
                html`<span class="mono">${tokens.scim_url}</span> ${copyButton(tokens.scim_url)}`,
              ],
            ])
      }
      <h3>${t('tokens')}</h3>
      ${tokensOf(connection, tokens, reload)}
    </section>
    <section>
      <div class="bar">
        <h2>${t('groups')}</h2>
        <button type="button" class="second small" @click=${() => editRules(connection, keep)}>
          ${t('change')}
        </button>
      </div>
      <p>${t('groups_text')}</p>
      ${rulesTable(connection)}
    </section>`
}

const tableOf = (label: ScimText, heads: readonly ScimText[], lines: unknown, isBusy = false) =>
  html`<div class="scroll" role="region" tabindex="0" aria-label=${t(label)} aria-busy=${isBusy}>
    <table>
      <thead>
        <tr>
          ${heads.map((name) => html`<th scope="col">${t(name)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${lines}
      </tbody>
    </table>
  </div>`

const HEADS = ['purpose', 'ends_with', 'made', 'used', 'until', 'act'] as const

function tokensOf(connection: Connection, tokens: ScimTokens | undefined, reload: Then['reload']) {
  if (tokens?.items.length === 0) return html`<p class="empty">${t('no_tokens')}</p>`
  const skeleton = html`<tr class="skeleton">
    ${HEADS.map(() => html`<td><i></i></td>`)}
  </tr>`
  const lines = tokens?.items.map(
    (token) =>
      html`<tr>
        <td dir="auto">${token.name}</td>
        <td><span class="mono">…${token.hint}</span></td>
        <td>${ago(token.created_at)}</td>
        <td>${token.last_used_at === null ? t('never') : ago(token.last_used_at)}</td>
        <td>${token.expires_at === null ? t('never') : exact(token.expires_at)}</td>
        <td>
          <button
            type="button"
            class="quiet small"
            aria-label="${t('revoke')} ${token.name}"
            @click=${() => revoke(connection, token, reload)}
          >
            ${t('revoke')}
          </button>
        </td>
      </tr>`,
  )
  return tableOf('tokens', HEADS, lines ?? skeleton, tokens === undefined)
}

const rulesTable = ({ role_mapping }: Connection) =>
  role_mapping.length === 0
    ? html`<p class="empty">${t('no_rules')}</p>`
    : tableOf(
        'groups',
        ['group', 'role'],
        role_mapping.map(
          ({ value, role }) =>
            html`<tr>
              <td dir="auto">${value}</td>
              <td>${role}</td>
            </tr>`,
        ),
      )

function make(connection: Connection, reload: Then['reload']): void {
  openDialog({
    title: t('make'),
    content: html`<p>${t('make_text')}</p>
      <label>${t('purpose')} <input name="name" required maxlength="100" placeholder="Entra ID" /></label>
      <label>${t('days')} <input name="expires_in_days" type="number" min="1" max="3650" /></label>
      <p class="quiet-text">${t('days_text')}</p>`,
    submit: t('make'),
    async act(form) {
      const days = typedIn(form, 'expires_in_days')
      const body = { name: typedIn(form, 'name'), ...(days && { expires_in_days: Number(days) }) }
      const { token } = await send<NewScimToken>('POST', pathTo(connection), body)
      showDialog(
        t('fresh'),
        html`<p>${t('once')}</p>
          <p class="secret">${token}</p>
          ${copyButton(token)}`,
      )
      void reload()
    },
  })
}

function revoke(connection: Connection, { token_id, name }: Token, reload: Then['reload']): void {
  openDialog({
    title: t('revoke_title', { name }),
    content: html`<p>${t('revoke_text')}</p>`,
    submit: t('revoke'),
    isDangerous: true,
    async act() {
      await send('DELETE', `${pathTo(connection)}/${token_id}`)
      toast(t('revoked'))
      await reload()
    },
  })
}

function editRules(connection: Connection, keep: Then['keep']): void {
  openDialog({
    title: t('change'),
    content: html`<label
        >${t('rules')}
        <textarea name="rules" rows="6" spellcheck="false" .value=${rulesOf(connection)}></textarea>
      </label>
      <p class="quiet-text">${t('rules_text')}</p>`,
    submit: t('change'),
    act: (form) => change(connection, { role_mapping: rulesIn(typedIn(form, 'rules')) }, keep),
  })
}
