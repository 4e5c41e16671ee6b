type Query = Record<string, unknown>
type Init = { params?: { query?: Query } }
type Page = {
  items?: unknown
  next_cursor?: string | null
  cursor?: string
  has_more?: boolean
  page?: number
  pages?: number
}
type Get = (path: string, init: Init) => Promise<{ data?: unknown }>

/**
 * Walks a list by whatever its pages name: the next cursor, a cursor with `has_more`, or the number of pages. Throws where
 * an answer leads to a page that was there before, which would have no end.
 */
export async function* eachItem(get: Get, path: string, init: Init = {}): AsyncGenerator<unknown, void> {
  let query: Query | undefined = init.params?.query ?? {}
  const seen = new Set<string>()
  while (query !== undefined) {
    const asked = JSON.stringify(query)
    if (seen.has(asked)) throw new TypeError(`${path} leads in a circle`)
    seen.add(asked)
    const { data } = await get(path, { ...init, params: { ...init.params, query } })
    const page = (data ?? {}) as Page
    if (!Array.isArray(page.items)) throw new TypeError(`${path} is no list`)
    yield* page.items
    query = nextOf(path, query, page)
  }
}

function nextOf(path: string, query: Query, answer: Page): Query | undefined {
  const { next_cursor, cursor, has_more, page, pages } = answer
  const further = { ...query, page: undefined }
  if (next_cursor !== undefined) return next_cursor === null ? undefined : { ...further, cursor: next_cursor }
  // The log of changes calls its cursor `since`.
  if (has_more) return { ...further, [path.endsWith('/changes') ? 'since' : 'cursor']: cursor }
  if (page !== undefined && pages !== undefined && page < pages) return { ...query, page: page + 1 }
  return undefined
}
