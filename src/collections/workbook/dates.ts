const SECONDS_PER_DAY = 86_400

/** 31 December 9999 in the 1900 system. The 1904 system starts 1,462 days later. */
const LAST_SERIAL = 2_958_465
const DAYS_TO_1904 = 1462

/**
 * The naive date of a serial number: YYYY-MM-DD, with THH:mm:ss unless midnight; below 1 only HH:mm:ss. Undefined if
 * it is no date: negative, past 9999, or 60 in the 1900 system (29 February 1900, which never existed).
 */
export function dateOfSerial(serial: number, date1904: boolean): string | undefined {
  if (serial < 0) return undefined
  if (serial < 1) return timeOf(Math.min(Math.round(serial * SECONDS_PER_DAY), SECONDS_PER_DAY - 1))
  const seconds = Math.round(serial * SECONDS_PER_DAY)
  const day = Math.floor(seconds / SECONDS_PER_DAY)
  if (day > LAST_SERIAL - (date1904 ? DAYS_TO_1904 : 0) || (day === 60 && !date1904)) return undefined
  // Excel counts a 29 February 1900, so earlier days are off by one from the usual epoch.
  const sinceEpoch = date1904 ? day + DAYS_TO_1904 : day < 60 ? day + 1 : day
  const date = new Date(Date.UTC(1899, 11, 30) + sinceEpoch * SECONDS_PER_DAY * 1000)
  const time = seconds % SECONDS_PER_DAY
  return date.toISOString().slice(0, 10) + (time === 0 ? '' : `T${timeOf(time)}`)
}

/** HH:mm:ss with as many hours as there are. Undefined if it is negative or longer than all dates. */
export const durationOfSerial = (serial: number): string | undefined =>
  serial < 0 || serial > LAST_SERIAL ? undefined : timeOf(Math.round(serial * SECONDS_PER_DAY))

const ISO = /^(\d{4}-\d\d-\d\d)?(?:T?(\d\d:\d\d(?::\d\d)?)(?:\.\d+)?)?Z?$/

/** The same for a cell with an ISO 8601 date (t="d"). Ignores the zone and cuts fractions of seconds. */
export function dateOfIso(text: string): string | undefined {
  const [matched, day, time] = ISO.exec(text) ?? []
  if (!matched || (day === undefined && time === undefined)) return undefined
  const clock = time === undefined || time.length === 8 ? time : `${time}:00`
  // Date turns 31 February into a day of March, so a value that does not round-trip is no date.
  const stamp = `${day ?? '2000-01-01'}T${clock ?? '00:00:00'}`
  const date = new Date(`${stamp}Z`)
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 19) !== stamp) return undefined
  if (day === undefined) return clock
  return clock === undefined || clock === '00:00:00' ? day : stamp
}

const ISO_DURATION = /^P(?:(\d{1,9})D)?T?(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,20})?)S)?$/

/** The same for an ISO 8601 duration (PT30H15M00S). */
export function durationOfIso(text: string): string | undefined {
  const parts = ISO_DURATION.exec(text)
  if (!parts || !/\d/.test(text)) return undefined
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0))
  return durationOfSerial(days + (hours * 3600 + minutes * 60 + seconds) / SECONDS_PER_DAY)
}

const two = (number: number) => String(number).padStart(2, '0')
const timeOf = (seconds: number) =>
  `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
