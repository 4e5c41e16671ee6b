import { preconditionFailed } from './errors.ts'

/** Weak comparison (RFC 9110, section 13.1): W/"3" and "3" are alike. */
const bare = (tag: string) => tag.trim().replace('W/', '')
const names = (header: string, tag: string) => header.split(',').some((one) => bare(one) === bare(tag))

/** 412 unless If-Match is absent, `*`, or names the tag. */
export function requireMatch(if_match: string | undefined, tag: string): void {
  if (if_match !== undefined && if_match.trim() !== '*' && !names(if_match, tag)) throw preconditionFailed()
}

/** Whether If-None-Match names the tag, so that the client has it already. */
export const isKnown = (if_none_match: string | undefined, tag: string): boolean =>
  if_none_match !== undefined && (if_none_match.trim() === '*' || names(if_none_match, tag))
