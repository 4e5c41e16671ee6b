import { html, nothing, type TemplateResult } from 'lit-html'
import { fault, get, refusalOf, send } from '#foundation/web/client/api.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { ago } from '#foundation/web/client/format.ts'
import { texts } from '#foundation/web/client/page.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Change, Item, Value } from './api-types.ts'
import { metadataField, textOf } from './fields.ts'
import { historyOf, itemPath } from './first-calls.ts'
import { TEXTS } from './texts.ts'

const t = texts(TEXTS)
const SHOWN = 60

type History = {
  mayEdit: () => boolean
  titleOf: (field: string) => string
  changed: (item: Item) => void
  update: () => void
}

/** Who changed an item, when and from what to what; the old values can be put back. Asked for when it is opened. */
export function createItemHistory({ mayEdit, titleOf, changed, update }: History) {
  let [item_id, next, problem] = ['', null as string | null, '']
  let changes: Change[] | undefined

  async function load(id: string, cursor?: string): Promise<void> {
    if (id !== item_id) changes = undefined
    item_id = id
    try {
      const page = await get<{ items: Change[]; next_cursor: string | null }>(historyOf(id, cursor))
      if (id !== item_id) return
      changes = cursor === undefined ? page.items : [...(changes ?? []), ...page.items]
      ;[next, problem] = [page.next_cursor, '']
    } catch (error) {
      problem = refusalOf(error).message
    }
    update()
  }

  /** Says first what somebody changed since, because that would be lost. */
  function putBack({ id }: Change): void {
    const path = `${itemPath(item_id)}/history/${id}/put-back`
    let since: string[] = []
    openDialog({
      title: t('put_back_title'),
      submit: t('put_back'),
      content: html``,
      async act() {
        try {
          changed(await send<Item>('POST', path, since.length > 0 ? { fields: fieldsOf(id) } : {}))
        } catch (error) {
          const { code, errors } = refusalOf(error)
          if (code !== 'changed_since' || since.length > 0) throw error
          since = errors.map(({ field }) => titleOf(field))
          throw fault(t('put_back_since', { names: since.join(', ') }))
        }
        toast(t('was_put_back'))
        await load(item_id)
      },
    })
  }
  const fieldsOf = (change_id: string) => {
    const found = changes?.find(({ id }) => id === change_id)
    return found ? differences(found).map(({ field }) => field) : []
  }

  const line = (change: Change) =>
    html`<li>
      <p>
        <strong dir="auto">${change.display_name ?? change.changed_by ?? t('by_nobody')}</strong>
        ${t(`did_${change.kind}`)} <span class="quiet-text">${ago(change.changed_at)}</span>
      </p>
      ${
        change.kind === 'updated'
          ? html`<dl class="differences">
                ${differences(change).map(
                  ({ field, was, is }) =>
                    html`<dt>${titleOf(field)}</dt>
                      <dd dir="auto"><del>${was}</del> <ins>${is}</ins></dd>`,
                )}
              </dl>
              ${mayEdit() ? html`<button type="button" class="second small" @click=${() => putBack(change)}>${t('put_back')}</button>` : nothing}`
          : nothing
      }
    </li>`

  const view = (id: string): TemplateResult =>
    html`<details
      class="history"
      @toggle=${(event: Event) => {
        if ((event.target as HTMLDetailsElement).open && item_id !== id) void load(id)
      }}
    >
      <summary><h3>${t('history')}</h3></summary>
      ${problem ? html`<p class="fault" role="alert">${problem}</p>` : nothing}
      ${
        item_id === id && changes
          ? html`<ol class="line">
                ${changes.map(line)}
              </ol>
              ${next === null ? nothing : html`<button type="button" class="quiet small" @click=${() => load(id, next ?? undefined)}>${t('history_more')}</button>`}`
          : html`<p class="quiet-text">${t('loading')}</p>`
      }
    </details>`

  /** What was saved just now is not in sight yet. */
  const refresh = (id: string) => (item_id === id ? load(id) : undefined)
  return { view, refresh }
}

function differences({ before, after }: Change): { field: string; was: string; is: string }[] {
  const levels = (values: Partial<Item> | null): Record<string, Value | null | undefined> => {
    const { metadata = {}, name, description, external_key } = values ?? {}
    return {
      ...('name' in (values ?? {}) && { name }),
      ...('description' in (values ?? {}) && { description }),
      ...('external_key' in (values ?? {}) && { external_key }),
      ...Object.fromEntries(Object.entries(metadata).map(([key, value]) => [metadataField(key), value])),
    }
  }
  const [old, now] = [levels(before), levels(after)]
  const shown = (value: Value | null | undefined) => textOf(value).slice(0, SHOWN) || t('empty')
  return Object.keys({ ...old, ...now }).map((field) => ({
    field,
    was: shown(old[field]),
    is: shown(now[field]),
  }))
}
