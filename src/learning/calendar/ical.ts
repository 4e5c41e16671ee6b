/** One moment of a calendar; `at` and `changed_at` are ISO 8601. `uid` is the same whenever it is read. */
export type Moment = {
  uid: string
  at: string
  changed_at: string
  summary: string
  description: string
  url: string
}

/** A calendar of moments without length (RFC 5545). */
export function writeCalendar(name: string, moments: readonly Moment[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Lyceum//Learning//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `NAME:${escaped(name)}`,
    `X-WR-CALNAME:${escaped(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...moments.flatMap(({ uid, at, changed_at, summary, description, url }) => [
      'BEGIN:VEVENT',
      `UID:${escaped(uid)}`,
      `DTSTAMP:${stamp(changed_at)}`,
      `LAST-MODIFIED:${stamp(changed_at)}`,
      `DTSTART:${stamp(at)}`,
      `SUMMARY:${escaped(summary)}`,
      `DESCRIPTION:${escaped(description)}`,
      `URL:${url}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${folded(line)}\r\n`).join('')
}

/** UTC, to the second. */
const stamp = (iso: string) => `${iso.slice(0, 19).replaceAll(/[-:]/g, '')}Z`

/** Control characters may not stand in a text, apart from the tab and what stands for a new line (section 3.3.11). */
const escaped = (text: string) =>
  text
    .replaceAll(/[\\;,]/g, (character) => `\\${character}`)
    .replaceAll(/\r\n?|\n/g, '\\n')
    .replaceAll(/(?!\t)\p{Cc}/gu, '')

const MOST_OCTETS = 75

/** Lines of at most 75 octets, cut between characters; each next one begins with a space (section 3.1). */
function folded(line: string): string {
  const parts: string[] = []
  let [part, octets] = ['', 0]
  for (const character of line) {
    const length = Buffer.byteLength(character)
    if (octets + length > MOST_OCTETS) {
      parts.push(part)
      ;[part, octets] = [' ', 1]
    }
    part += character
    octets += length
  }
  return [...parts, part].join('\r\n')
}
