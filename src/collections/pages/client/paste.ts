import { html, nothing } from 'lit-html'
import { refusalOf, send } from '#foundation/web/client/api.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { texts } from '#foundation/web/client/page.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Item } from './api-types.ts'
import { cellsOf } from './clipboard.ts'
import { bodyOf, type Flat, flat, parsed, textOf } from './fields.ts'
import { collectionPath } from './first-calls.ts'
import { type GridColumn, rawOf } from './grid-columns.ts'
import type { Rows } from './grid-rows.ts'
import { PASTE_TEXTS } from './paste-texts.ts'

const t = texts(PASTE_TEXTS)
/** As many as one call writes. */
const MOST = 1_000
const SHOWN = 8

type Place = { row: number; column: number }
type Change = { item: Item; fields: Partial<Flat> }
type Result = { item_id: string | null; version: number | null; error: { detail: string } | null }
type Paste = {
  collection_id: string
  rows: () => Rows
  columns: () => readonly GridColumn[]
  done: () => Promise<void>
}

/**
 * Puts cells of a spreadsheet into the table from a cell on, after a look at what changes. All of it is one call with the
 * version of each item: what somebody else changed meanwhile is refused, not overwritten. It can be undone.
 */
export function createPaste({ collection_id, rows, columns, done }: Paste) {
  async function paste(at: Place, text: string): Promise<void> {
    const block = cellsOf(text)
    if (block.length > MOST) return toast(t('too_many', { count: MOST }), undefined, true)
    const last = Math.min(at.row + block.length, rows().total()) - 1
    try {
      await rows().bring(at.row, last)
    } catch (error) {
      return toast(refusalOf(error).message, undefined, true)
    }
    const { changes, cells, leftOut, same } = read(block, at)
    if (changes.length === 0) return toast(t(same > 0 ? 'nothing' : 'nowhere'))
    openDialog({
      title: t('title', { count: changes.length }),
      submit: t('submit'),
      isWide: true,
      content: html`<p>
          ${t('changes', { count: cells })} ${leftOut > 0 ? t('left_out', { count: leftOut }) : nothing}
          ${cells > SHOWN ? t('first') : nothing}
        </p>
        ${preview(changes)}`,
      act: () => write(changes),
    })
  }

  function read(block: string[][], at: Place) {
    const shown = columns()
    let [cells, leftOut, same] = [0, 0, 0]
    const changes: Change[] = []
    for (const [i, line] of block.entries()) {
      const item = rows().at(at.row + i)
      const fields: Partial<Flat> = {}
      for (const [j, typed] of line.entries()) {
        const field = shown[at.column + j]?.field
        if (!item || field === undefined) {
          leftOut += 1
          continue
        }
        const value = parsed(typed, flat(item)[field], field)
        if (textOf(value) === rawOf(item, field)) same += 1
        else {
          fields[field] = value
          cells += 1
        }
      }
      if (item && Object.keys(fields).length > 0) changes.push({ item, fields })
    }
    return { changes, cells, leftOut, same }
  }

  const titleOf = (field: string) => columns().find((column) => column.field === field)?.title ?? field

  const preview = (changes: readonly Change[]) => {
    const lines = changes
      .slice(0, SHOWN)
      .flatMap(({ item, fields }) => Object.entries(fields).map(([field, value]) => ({ item, field, value })))
    return html`<div class="scroll" tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col">${t('item')}</th>
            <th scope="col">${t('field')}</th>
            <th scope="col">${t('was')}</th>
            <th scope="col">${t('becomes')}</th>
          </tr>
        </thead>
        <tbody>
          ${lines.slice(0, SHOWN).map(
            ({ item, field, value }) =>
              html`<tr>
                <td dir="auto">${item.name}</td>
                <td dir="auto">${titleOf(field)}</td>
                <td dir="auto">${rawOf(item, field)}</td>
                <td dir="auto">${textOf(value)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`
  }

  async function write(changes: readonly Change[]): Promise<void> {
    const results = await call(
      changes.map(({ item, fields }) => ({ id: item.id, version: item.version, fields })),
    )
    const back = results.flatMap(({ version }, place) => {
      const change = changes[place]
      if (!change || version === null) return []
      const was = flat(change.item)
      const fields = Object.fromEntries(
        Object.keys(change.fields).map((field) => [field, was[field] ?? null]),
      )
      return [{ id: change.item.id, version, fields }]
    })
    tell('done', results, back.length > 0 ? { text: t('undo'), run: () => void undo(back) } : undefined)
    await done()
  }

  async function undo(back: readonly Write[]): Promise<void> {
    try {
      tell('undone', await call(back))
    } catch (error) {
      toast(refusalOf(error).message, undefined, true)
    }
    await done()
  }

  async function call(writes: readonly Write[]): Promise<Result[]> {
    const operations = writes.map(({ id, version, fields }) => ({
      action: 'update',
      item_id: id,
      version,
      ...bodyOf(fields),
    }))
    const path = `${collectionPath(collection_id)}/items/batch-write`
    return (await send<{ results: Result[] }>('POST', path, { operations })).results
  }

  function tell(
    key: 'done' | 'undone',
    results: readonly Result[],
    action?: Parameters<typeof toast>[1],
  ): void {
    const refused = results.flatMap(({ error }) => error ?? [])
    const count = results.length - refused.length
    if (refused.length > 0)
      toast(t('refused', { count: refused.length, why: refused[0]?.detail ?? '' }), undefined, true)
    if (count > 0) toast(t(key, { count }), action)
  }

  return { paste: (at: Place, text: string) => void paste(at, text) }
}

type Write = { id: string; version: number; fields: Partial<Flat> }
