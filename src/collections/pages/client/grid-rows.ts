import { get, refusalOf } from '#foundation/web/client/api.ts'
import type { Item, Page } from './api-types.ts'
import { itemsOf, PER_PAGE } from './first-calls.ts'

/** So long nobody must scroll before rows are asked for: whoever drags the bar passes hundreds of pages. */
const PAUSE_MS = 90
/** Pages that are kept; those far from the eye go first. */
const KEPT = 40

/** The rows of a list of any length, page by page, as they come into sight. `changed` runs when some have come. */
export function createRows(collection_id: string, search: () => URLSearchParams, changed: () => void) {
  const pages = new Map<number, (Item | undefined)[]>()
  const asked = new Set<number>()
  let [round, total, fault, isLoaded] = [0, 0, '', false]
  let timer: ReturnType<typeof setTimeout> | undefined

  async function ask(page: number, startsOver = false): Promise<void> {
    if (asked.has(page) || (pages.has(page) && !startsOver)) return
    asked.add(page)
    const own = round
    try {
      const found = await get<Page<Item>>(itemsOf(collection_id, search(), page))
      if (own !== round) return
      if (startsOver) pages.clear()
      pages.set(page, found.items)
      ;[total, fault, isLoaded] = [found.total, '', true]
      drop(page)
    } catch (error) {
      if (own === round) fault = refusalOf(error).message
    } finally {
      asked.delete(page)
    }
    if (own === round) changed()
  }

  function drop(near: number): void {
    const far = [...pages.keys()].toSorted((a, b) => Math.abs(b - near) - Math.abs(a - near))
    for (const page of far.slice(0, Math.max(0, pages.size - KEPT))) pages.delete(page)
  }

  const place = (index: number) => [Math.floor(index / PER_PAGE) + 1, index % PER_PAGE] as const
  const at = (index: number): Item | undefined => {
    const [page, offset] = place(index)
    return pages.get(page)?.[offset]
  }

  return {
    at,
    total: () => total,
    fault: () => fault,
    isLoaded: () => isLoaded,
    /** Asks for what is missing between the two rows, soon. */
    want(first: number, last: number): void {
      clearTimeout(timer)
      const missing = [place(first)[0], place(Math.max(first, last))[0]].filter((page) => !pages.has(page))
      if (missing.length === 0) return
      timer = setTimeout(() => missing.forEach((page) => void ask(page)), isLoaded ? PAUSE_MS : 0)
    },
    /** Starts over: the order, the filters or the rows themselves are others now. What is in sight stays until then. */
    reload(): Promise<void> {
      round += 1
      asked.clear()
      return ask(1, true)
    },
    put(item: Item): void {
      for (const rows of pages.values()) {
        const index = rows.findIndex((one) => one?.id === item.id)
        if (index >= 0) rows[index] = { ...rows[index], ...item }
      }
      changed()
    },
    /** All rows that are here, in order. */
    here: (): Item[] =>
      [...pages].toSorted(([a], [b]) => a - b).flatMap(([, rows]) => rows.filter((one) => one !== undefined)),
    indexOf(id: string): number {
      for (const [page, rows] of pages) {
        const index = rows.findIndex((one) => one?.id === id)
        if (index >= 0) return (page - 1) * PER_PAGE + index
      }
      return -1
    },
  }
}
export type Rows = ReturnType<typeof createRows>
