import { conflict } from '#foundation/errors.ts'
import { isStale } from '#foundation/http/if-match.ts'

type Given = { version?: number | undefined; if_match?: string | undefined }

/**
 * 409 version_conflict when `version` in the body or the header If-Match differs from the current version. Both are
 * optional.
 */
export function refuseStale(current: number, { version, if_match }: Given) {
  if ((version ?? current) !== current || isStale(current, if_match))
    throw conflict('version_conflict', `It was changed meanwhile, its version is ${current}`)
}
