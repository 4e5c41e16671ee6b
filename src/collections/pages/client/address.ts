import { setQuery } from '#foundation/web/client/page.ts'

/** What the address says: the collection, what is shown of it, and the item that is open. */
export const search = (): URLSearchParams => new URLSearchParams(location.search)

/** A new entry of the browser's history, so that *back* leads to the collection before. */
export function goTo(values: Record<string, string | undefined>): void {
  const url = new URL(location.href)
  url.search = ''
  for (const [name, value] of Object.entries(values)) if (value) url.searchParams.set(name, value)
  history.pushState(null, '', url)
}

/** Replaces the conditions of the list; everything else in the address stays. */
export function setFilters(filters: readonly (readonly [name: string, value: string])[]): void {
  const url = new URL(location.href)
  const others = [...url.searchParams].filter(([name]) => !name.startsWith('filter['))
  url.search = new URLSearchParams([...others, ...filters.map(([name, value]) => [name, value])]).toString()
  history.replaceState(null, '', url)
}

/** Replaces all that orders and narrows the list. */
export function setList(query: URLSearchParams, isOfList: (name: string) => boolean): void {
  const url = new URL(location.href)
  const others = [...url.searchParams].filter(([name]) => !isOfList(name))
  url.search = new URLSearchParams([...others, ...query]).toString()
  history.replaceState(null, '', url)
}

/** It has done its service. */
if (search().has('signed_in')) setQuery({ signed_in: undefined })

export { setQuery }
