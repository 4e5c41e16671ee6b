import { html, nothing, type TemplateResult } from 'lit-html'
import { refusalOf, send } from '#foundation/web/client/api.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { ago, exact } from '#foundation/web/client/format.ts'
import { texts } from '#foundation/web/client/page.ts'
import { badge, detailPanel, facts } from '#foundation/web/client/parts.ts'
import { createTable } from '#foundation/web/client/table.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { RingKey } from './api-types.ts'
import { keysOf } from './first-calls.ts'
import { SETTING_TEXTS } from './setting-texts.ts'

/* Console › Settings › Signing keys: the ring, its rotation, and the end of a key that leaked. */

const t = texts(SETTING_TEXTS)
const TONES = { standby: 'warn', active: 'good', retiring: 'none', revoked: 'none' } as const
type Place = Pick<RingKey, 'environment' | 'purpose'>
type Rotated = { activates_at: string | null }

export function keySection(update: () => void): { load: () => Promise<void>; view: () => TemplateResult } {
  let opened: RingKey | undefined
  const table = createTable<RingKey>({
    label: t('all_keys'),
    path: keysOf,
    empty: t('no_keys'),
    keyOf: ({ kid }) => kid,
    open: (key) => {
      opened = key
      update()
      queueMicrotask(() => document.querySelector<HTMLElement>('.panel')?.focus())
    },
    update,
    columns: [
      { title: t('key'), cell: ({ kid }) => html`<span class="mono">${kid.slice(0, 12)}…</span>` },
      { title: t('state'), cell: ({ state }) => badge(t(state), TONES[state]) },
      { title: t('use'), cell: ({ purpose }) => t(purpose) },
      { title: t('environment'), cell: ({ environment }) => t(environment) },
      { title: t('made'), cell: ({ created_at }) => ago(created_at) },
      { title: t('act'), cell: (key) => (key.state === 'active' ? rotateButton(key) : '') },
    ],
  })
  const close = () => {
    opened = undefined
    update()
  }

  /** Asks before it rotates or revokes, and then shows the ring anew. */
  function ask(
    title: string,
    text: string,
    typed: string,
    body: Place | { environment: string; emergency: string },
  ) {
    openDialog({
      title,
      content: html`<p>${text}</p>`,
      submit: 'emergency' in body ? t('revoke') : t('rotate'),
      isDangerous: true,
      typed,
      async act() {
        const { activates_at } = await send<Rotated>('POST', '/api/v1/signing-keys/rotate', body)
        toast(
          'emergency' in body
            ? t('revoked_now')
            : activates_at === null
              ? t('rotated_now')
              : t('rotated_at', { time: exact(activates_at) }),
        )
        close()
        await table.load()
      },
    })
  }

  function rotateButton({ environment, purpose }: Place): TemplateResult {
    const title = t('rotate_title', { use: t(purpose), environment: t(environment) })
    const rotate = (event: Event) => {
      event.stopPropagation()
      ask(title, t('rotate_text'), environment, { environment, purpose })
    }
    return html`<button type="button" class="second small" aria-label=${title} @click=${rotate}>
      ${t('rotate')}
    </button>`
  }

  const view = () =>
    html`<p>${t('keys_text')}</p>
      <div class=${opened ? 'with-panel' : ''}>
        <div class="split">
          <div>${table.view(opened?.kid)}</div>
          ${opened ? panelOf(opened) : nothing}
        </div>
      </div>`

  const panelOf = (key: RingKey) =>
    detailPanel(
      t(key.purpose),
      html`<p>${badge(t(key.state), TONES[key.state])}</p>
        ${facts([
          [t('key'), html`<span class="mono">${key.kid}</span>`],
          [t('environment'), t(key.environment)],
          [t('made'), exact(key.created_at)],
          ...(['activated_at', 'activates_at', 'retiring_at', 'revoked_at'] as const).flatMap((name) => {
            const time = key[name]
            return time === null ? [] : [[t(name), exact(time)] as const]
          }),
        ])}
        ${
          key.state === 'revoked'
            ? nothing
            : html`<div class="actions">
                <button type="button" class="danger small" @click=${() => revoke(key)}>${t('revoke')}</button>
              </div>`
        }`,
      close,
    )
  const revoke = ({ kid, environment }: RingKey) =>
    ask(t('revoke'), t('revoke_text'), kid.slice(0, 12), { environment, emergency: kid })

  return { load: () => table.load().catch((error: unknown) => toast(refusalOf(error).message)), view }
}
