import { html, nothing, type TemplateResult } from 'lit-html'
import { send } from '#foundation/web/client/api.ts'
import { openDialog, showDialog } from '#foundation/web/client/dialog.ts'
import { texts } from '#foundation/web/client/page.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { User } from './api-types.ts'
import { ACT_TEXTS, type ActText } from './people-acts-texts.ts'

/* What may be done for several selected people at once. The dialog names them and says what will happen. */

const t = texts(ACT_TEXTS)
const ACTS = ['suspend', 'end_sessions'] as const
const REFUSALS = ['user_shared', 'last_admin', 'not_found', 'oneself', 'field_not_allowed'] as const
/** People that the service takes in one call. */
const MOST = 100
/** Names that a dialog shows. */
const NAMED = 10

type Result = { user_id: string; code: string | null; detail: string | null }
type Scene = {
  people: readonly User[]
  /** Suspends at this site, or the whole account. */
  site_code: string | null
  /** Some have changed: reads the list again. */
  done: () => void
}

export const nameOf = ({ display_name, email }: User): string => display_name ?? email

export const actsOn = (scene: Scene): TemplateResult =>
  html`${ACTS.map((act) => html`<button type="button" class="second small" @click=${() => ask(act, scene)}>${t(act)}</button>`)}`

function ask(act: (typeof ACTS)[number], { people, site_code, done }: Scene): void {
  const count = people.length
  const isAtSite = act === 'suspend' && site_code !== null
  openDialog({
    title: t(`${act}_title`, { count }),
    content: html`<p>${t(isAtSite ? 'suspend_at' : `${act}_text`, { site: site_code ?? '' })}</p>
      <ul>
        ${people.slice(0, NAMED).map((one) => html`<li dir="auto">${nameOf(one)}</li>`)}
        ${count > NAMED ? html`<li>${t('others', { count: count - NAMED })}</li>` : nothing}
      </ul>`,
    submit: t(act),
    isDangerous: true,
    typed: String(count),
    async act() {
      const results: Result[] = []
      try {
        for (let from = 0; from < count; from += MOST)
          results.push(...(await actOn(act, people.slice(from, from + MOST), site_code)))
      } finally {
        done()
      }
      tell(people, results)
    },
  })
}

async function actOn(act: string, people: readonly User[], site_code: string | null): Promise<Result[]> {
  const body = {
    act,
    user_ids: people.map(({ user_id }) => user_id),
    ...(site_code !== null && { site_code }),
  }
  return (await send<{ items: Result[] }>('POST', '/api/v1/users/acts', body)).items
}

function tell(people: readonly User[], results: readonly Result[]): void {
  const refused = results.filter(({ code }) => code !== null)
  toast(t('done', { count: results.length - refused.length }))
  if (refused.length === 0) return
  const names = new Map(people.map((one) => [one.user_id, nameOf(one)]))
  showDialog(
    t('refused', { count: refused.length }),
    html`<ul>
      ${refused.map((one) => html`<li><span dir="auto">${names.get(one.user_id)}</span>: ${reasonOf(one)}</li>`)}
    </ul>`,
  )
}

const reasonOf = ({ code, detail }: Result) =>
  REFUSALS.some((one) => one === code) ? t(code as ActText) : html`<span lang="en">${detail}</span>`
