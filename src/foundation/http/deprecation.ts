/** The deprecation of a route. Dates are whole days, YYYY-MM-DD, in UTC. */
export type Deprecation = {
  /** The day of the announcement. */
  since: string
  /** The day it may stop answering: at least six months after `since`. */
  sunset: string
  /** A page that tells clients how to migrate. */
  link: string
  /** The replacement route. */
  successor?: string
}

/** Minimum time between announcement and removal (docs/api/sso.md, part 9). */
const NOTICE_MONTHS = 6

/**
 * The headers of every response of a deprecated route: Deprecation (RFC 9745), Sunset (RFC 8594) and Link (RFC 8288).
 * Throws, and so stops the start, if a date is invalid or the dates are less than six months apart.
 */
export function deprecationHeaders(route: string, deprecation: Deprecation): Record<string, string> {
  const { since, sunset, link, successor } = deprecation
  const [from, until] = [midnight(route, since), midnight(route, sunset)]
  const earliest = monthsAfter(from, NOTICE_MONTHS)
  if (until < earliest)
    throw new Error(
      `${route} is deprecated since ${since} and must stay until ${earliest.toISOString().slice(0, 10)}; its sunset is ${sunset}`,
    )
  const links = [`<${link}>; rel="deprecation"; type="text/html"`]
  if (successor !== undefined) links.push(`<${successor}>; rel="successor-version"`)
  return {
    deprecation: `@${from.getTime() / 1_000}`,
    sunset: until.toUTCString(),
    link: links.join(', '),
  }
}

function midnight(route: string, day: string): Date {
  const date = new Date(`${day}T00:00:00.000Z`)
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== day)
    throw new Error(`${route} is deprecated with a date that is none: ${day}`)
  return date
}

/** The same day of a later month, or the last day of that month if it is shorter. */
function monthsAfter(date: Date, months: number): Date {
  const later = new Date(date)
  later.setUTCMonth(date.getUTCMonth() + months)
  if (later.getUTCDate() < date.getUTCDate()) later.setUTCDate(0)
  return later
}
