import { get, refusalOf } from '#foundation/web/client/api.ts'
import type { Item, Page } from './api-types.ts'
import { itemsOf, PER_PAGE } from './first-calls.ts'

/** So long nobody must scroll before rows are asked for: whoever drags the bar passes hundreds of pages. */
const PAUSE_MS = 60
/** The service takes three lists of a person at once. */
const AT_ONCE = 2
/** After a busy answer. */
const REST_MS = 1_500
/** Pages that are kept; those far from the eye go first. */
const KEPT = 40

/** The rows of a list of any length, page by page, as they come into sight. `changed` runs when some have come. */
export function createRows(collection_id: string, search: () => URLSearchParams, changed: () => void) {
  const pages = new Map<number, (Item | undefined)[]>()
  /** What follows a page; cheaper for the service than to count up to the next one. */
  const cursors = new Map<number, string>()
  const asked = new Set<number>()
  let [round, total, fault, isLoaded] = [0, 0, '', false]
  let timer: ReturnType<typeof setTimeout> | undefined

  async function ask(page: number, startsOver = false): Promise<void> {
    if (asked.has(page) || (pages.has(page) && !startsOver)) return
    asked.add(page)
    const own = round
    try {
      const cursor = startsOver ? undefined : cursors.get(page - 1)
      const found = await get<Page<Item>>(itemsOf(collection_id, search(), page, cursor))
      if (own !== round) return
      if (startsOver) {
        pages.clear()
        cursors.clear()
      }
      pages.set(page, found.items)
      if (found.next_cursor) cursors.set(page, found.next_cursor)
      ;[total, fault, isLoaded] = [found.total, '', true]
      drop(page)
    } catch (error) {
      if (own !== round) return
      const { status, message } = refusalOf(error)
      if (isLoaded && (status === 503 || status === 429)) setTimeout(changed, REST_MS)
      else fault = message
    } finally {
      if (own === round) asked.delete(page)
    }
    if (own === round && (pages.has(page) || fault)) changed()
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

  /** Waits until the rows between the two are here; throws where they do not come. */
  async function bring(first: number, last: number): Promise<void> {
    for (let page = place(first)[0]; page <= place(Math.max(first, last))[0]; page++) {
      while (asked.has(page)) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      if (pages.has(page)) continue
      const found = await get<Page<Item>>(itemsOf(collection_id, search(), page))
      pages.set(page, found.items)
    }
  }

  return {
    at,
    bring,
    total: () => total,
    fault: () => fault,
    isLoaded: () => isLoaded,
    /** Asks for what is missing between the two rows, and for the page after them, soon. After a fault somebody asks again. */
    want(first: number, last: number): void {
      clearTimeout(timer)
      if (fault) return
      const near = [first, Math.max(first, last), Math.min(last + PER_PAGE, total - 1)]
      const missing = [...new Set(near.map((index) => place(Math.max(index, 0))[0]))].filter(
        (page) => !pages.has(page),
      )
      if (missing.length === 0) return
      const askSome = () => {
        for (const page of missing) if (asked.size < AT_ONCE) void ask(page)
      }
      timer = setTimeout(askSome, isLoaded ? PAUSE_MS : 0)
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
    find: (id: string): Item | undefined => [...pages.values()].flat().find((one) => one?.id === id),
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
