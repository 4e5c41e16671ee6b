import { violates } from '#foundation/database/database.ts'
import { ApiError, type FieldError } from '#foundation/errors.ts'

export const MAX_CHILDREN = 1_000
/** A root has depth 0, so this allows ten levels. */
export const MAX_DEPTH = 9
/** The most collections that one move, cut or delete may cover. */
export const MAX_COVERED = 5_000

/** Why the collection `id` cannot be placed. */
export type Refusal = {
  id: string
  code: 'parent_not_found' | 'cycle' | 'too_deep' | 'too_many_children' | 'too_large' | 'duplicate_key'
  /** The key that is taken. */
  value: string | null
}

const STATUS = { parent_not_found: 404 } as Partial<Record<Refusal['code'], number>>
const DETAIL: Record<Refusal['code'], string> = {
  parent_not_found: 'The parent collection was not found',
  cycle: 'A collection cannot stand below itself',
  too_deep: `Collections can stand at most ${MAX_DEPTH + 1} levels deep`,
  too_many_children: `A collection can have at most ${MAX_CHILDREN} children`,
  too_large: `This covers more than ${MAX_COVERED} collections`,
  duplicate_key: 'The external_key is taken in this tree',
}
const NAMED_KEYS = 20

/** Until the release before is gone, two indexes hold this rule. */
export const isKeyTaken = (error: unknown) =>
  violates(error, 'collections_by_external_key') || violates(error, 'collections_tenant_external_key')

/** The error for a refused collection: 404 or 409, with the first 20 taken keys. */
export function refusalError(refusals: readonly Refusal[]): ApiError {
  const [first] = refusals
  if (!first) throw new Error('nothing was refused')
  const { code } = first
  const errors: FieldError[] = refusals
    .filter((refusal) => refusal.code === 'duplicate_key' && refusal.value !== null)
    .slice(0, NAMED_KEYS)
    .map(({ value }) => ({ field: 'external_key', code: 'duplicate_key', message: `${value} is taken` }))
  return new ApiError(STATUS[code] ?? 409, code, DETAIL[code], { errors })
}
