import type { Page } from '../api-types.ts'
import { get, refusalOf } from './api.ts'

const PER_PAGE = 100
/** The longest `Retry-After` that a list waits for, in seconds. */
const MAX_WAIT = 60

/** All rows of a list, page after page. `path` has no page in it. */
export async function all<T>(path: string): Promise<T[]> {
  const address = (page: number) =>
    `${path}${path.includes('?') ? '&' : '?'}per_page=${PER_PAGE}${page > 1 ? `&page=${page}` : ''}`
  const first = await patiently(() => get<Page<T>>(address(1)))
  const rows = [...first.items]
  for (let page = 2; page <= first.pages; page++)
    rows.push(...(await patiently(() => get<Page<T>>(address(page)))).items)
  return rows
}

/** A long list may meet the limit of calls a minute: it waits once for each page. */
export async function patiently<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const { status, retry_after } = refusalOf(error)
    if (status !== 429 || retry_after > MAX_WAIT) throw error
    await new Promise((resolve) => setTimeout(resolve, (retry_after || 1) * 1_000))
    return read()
  }
}
