import { type Static, type TSchema, Type } from 'typebox'
import { Nullable } from './schemas.ts'

/** Query of every list: `page` from 1, `per_page` 1 to 100. Any other value is 422 and is never clamped. */
export const PageQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  per_page: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
})
export type PageQuery = Static<typeof PageQuery>

export type Page<T> = { items: T[]; total: number; page: number; per_page: number; pages: number }

/** The list envelope of the API documents. */
export const PageOf = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    total: Type.Integer(),
    page: Type.Integer(),
    per_page: Type.Integer(),
    pages: Type.Integer(),
  })

/** The envelope of a list that can also be walked by cursor. `next_cursor` is null on the last page. */
export type CursorPage<T> = Page<T> & { next_cursor: string | null }
export const CursorPageOf = <T extends TSchema>(item: T) =>
  Type.Object({ ...PageOf(item).properties, next_cursor: Nullable(Type.String()) })

export const offsetOf = ({ page, per_page }: PageQuery) => (page - 1) * per_page

export const page = <T>(items: T[], total: number, { page, per_page }: PageQuery): Page<T> => ({
  items,
  total,
  page,
  per_page,
  pages: Math.ceil(total / per_page),
})

/** The value of a `Link` header (RFC 8288) with first, prev, next and last; the other query parameters are kept. */
export function pageLinks(url: string, { page, pages }: { page: number; pages: number }): string {
  const [path, query = ''] = url.split('?', 2) as [string, string?]
  const to = (number: number) => {
    const parameters = new URLSearchParams(query)
    parameters.set('page', String(number))
    return `<${path}?${parameters.toString()}>`
  }
  const last = Math.max(pages, 1)
  const links = [`${to(1)}; rel="first"`]
  if (page > 1) links.push(`${to(Math.min(page - 1, last))}; rel="prev"`)
  if (page < last) links.push(`${to(page + 1)}; rel="next"`)
  links.push(`${to(last)}; rel="last"`)
  return links.join(', ')
}
