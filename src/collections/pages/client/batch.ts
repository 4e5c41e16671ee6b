import { html, type TemplateResult } from 'lit-html'
import { fault, get, send } from '#foundation/web/client/api.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { texts } from '#foundation/web/client/page.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Page } from './api-types.ts'
import { bodyOf, metadataField } from './fields.ts'
import { textIn } from './filters.ts'
import { collectionPath, idsOf } from './first-calls.ts'
import { createPicker } from './picker.ts'
import type { Picked } from './picked.ts'
import type { Rows } from './grid-rows.ts'
import { TEXTS } from './texts.ts'

const t = texts(TEXTS)
/** More are found by 50 calls, half of what a person may call in a minute. */
const MOST = 5_000
const LINKED_AT_ONCE = 100
const WRITTEN_AT_ONCE = 1_000

type Batch = {
  collection_id: () => string
  search: () => URLSearchParams
  rows: () => Rows
  picked: Picked
  keys: () => readonly string[]
  done: () => void
}
type Result = { error: { detail: string } | null }
type Outcome = { done: number; refused: string[] }

/** What is done to all picked rows together. */
export function createBatch({ collection_id, search, rows, picked, keys, done }: Batch) {
  const count = () => picked.count(rows())

  /** The ids of what was picked; all that match are asked for now. */
  async function ids(): Promise<string[]> {
    if (!picked.isAll()) return picked.ids()
    if (count() > MOST) throw fault(t('too_many', { count: MOST }))
    const found: string[] = []
    for (let cursor: string | undefined | null; cursor !== null;) {
      const page: Page<{ id: string }> = await get(idsOf(collection_id(), search(), cursor))
      found.push(...page.items.map(({ id }) => id))
      cursor = page.next_cursor
    }
    return found
  }

  /** Writes all of them, a thousand a call; each is done or refused by itself. */
  async function each(all: readonly string[], operation: object): Promise<Outcome> {
    const outcome: Outcome = { done: 0, refused: [] }
    for (let at = 0; at < all.length; at += WRITTEN_AT_ONCE) {
      const operations = all.slice(at, at + WRITTEN_AT_ONCE).map((item_id) => ({ ...operation, item_id }))
      const path = `${collectionPath(collection_id())}/items/batch-write`
      const { results } = await send<{ results: Result[] }>('POST', path, { operations })
      for (const { error } of results)
        if (error) outcome.refused.push(error.detail)
        else outcome.done += 1
    }
    return outcome
  }

  function tell(
    key: 'unlinked' | 'linked' | 'set_done' | 'items_deleted',
    { done: count, refused }: Outcome,
  ): void {
    if (count > 0) toast(t(key, { count }))
    if (refused.length > 0) toast(t('refused_some', { count: refused.length, why: refused[0] ?? '' }))
    picked.clear()
    done()
  }

  /** Runs only for as many as were shown: others may have added some since. */
  const confirmed = (shown: number, act: (all: string[]) => Promise<void>) => async () => {
    const all = await ids()
    if (all.length !== shown) throw fault(t('others_match', { count: all.length }))
    await act(all)
  }

  function unlink(): void {
    openDialog({
      title: t('unlink_title', { count: count() }),
      submit: t('unlink'),
      isDangerous: true,
      content: html`<p>${t('unlink_text')}</p>`,
      act: confirmed(count(), async (all) => tell('unlinked', await each(all, { action: 'remove' }))),
    })
  }

  function remove(): void {
    const typed = String(count())
    openDialog({
      title: t('delete_items_title', { count: count() }),
      submit: t('remove'),
      isDangerous: true,
      typed,
      content: html`<p>${t('delete_items_text')}</p>`,
      act: confirmed(count(), async (all) => tell('items_deleted', await each(all, { action: 'delete' }))),
    })
  }

  function link(): void {
    const picker = createPicker({
      mayBe: ({ id, my_role }) => id !== collection_id() && my_role !== 'viewer',
    })
    openDialog({
      title: t('link_title', { count: count() }),
      submit: t('link'),
      content: html`${picker.element}`,
      async act() {
        const target = picker.chosen()
        if (!target) throw fault(t('pick_first'))
        const all = await ids()
        let linked = 0
        for (let at = 0; at < all.length; at += LINKED_AT_ONCE)
          linked += (
            await send<{ linked: number }>('POST', `${collectionPath(target.id)}/items/batch`, {
              item_ids: all.slice(at, at + LINKED_AT_ONCE),
            })
          ).linked
        tell('linked', { done: linked, refused: [] })
      },
    })
  }

  function set(): void {
    openDialog({
      title: t('set_title', { count: count() }),
      submit: t('set'),
      content: html`<label
          >${t('filter_on')}
          <input
            name="field"
            list="fields"
            required
            pattern="[a-z0-9][a-z0-9_.\\-]*"
            maxlength="64"
            autocomplete="off"
          />
          <datalist id="fields">
            ${['description', ...keys()].map((key) => html`<option value=${key}></option>`)}
          </datalist>
        </label>
        <label
          >${t('value')} <input name="value" dir="auto" maxlength="4000" /><small
            >${t('set_hint')}</small
          ></label
        >`,
      async act(form) {
        const [name, value] = [textIn(form, 'field'), textIn(form, 'value') || null]
        const body = bodyOf({ [name === 'description' ? name : metadataField(name)]: value })
        tell('set_done', await each(await ids(), { action: 'update', ...body }))
      },
    })
  }

  const view = (mayEdit: boolean): TemplateResult =>
    html`<div class="selected" ?hidden=${count() === 0}>
      <span role="status">${count() === 0 ? '' : picked.told(rows())}</span>
      ${
        mayEdit
          ? html`<button type="button" class="second small" @click=${set}>${t('set_field')}</button>
              <button type="button" class="second small" @click=${unlink}>${t('unlink')}</button>
              <button type="button" class="second small" @click=${remove}>${t('remove')}</button>`
          : ''
      }
      <button type="button" class="second small" @click=${link}>${t('link')}</button>
      <button type="button" class="quiet small" @click=${picked.clear}>${t('cancel')}</button>
    </div>`
  return { view }
}
