import { conflict, unprocessable } from '#foundation/errors.ts'

type Given = { version?: number | undefined; if_match?: string | undefined }

/**
 * 409 version_conflict when a change was made for another version: by `version` of the body or the header If-Match, both
 * of which may be left out. 422 for a header that names no version.
 */
export function refuseStale(current: number, { version, if_match }: Given) {
  const named = readIfMatch(if_match)
  if ((version !== undefined && version !== current) || (named && !named.includes(current)))
    throw conflict('version_conflict', `It was changed meanwhile, its version is ${current}`)
}

/** The versions of an If-Match header: "3", W/"3" or a list of them. Undefined: any will do. */
function readIfMatch(header: string | undefined): number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return header.split(',').map((tag) => {
    const version = /^\s*(?:W\/)?"(\d{1,9})"\s*$/.exec(tag)?.[1]
    if (version === undefined)
      throw unprocessable('If-Match', 'invalid_if_match', 'must be the version in quotes, such as "3", or *')
    return Number(version)
  })
}
