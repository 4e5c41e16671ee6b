import type { TypedFields } from './editor-draft.ts'
import { newKey } from './api.ts'
import { keep, kept } from './kept.ts'

/*
 * What was typed into a lesson and is not on the service yet, one entry per tab: two tabs never write over each other.
 */

/** An entry that no tab has touched for so long (ms) belongs to one that was closed. */
const LEFT_MS = 30_000

function tab(): string {
  try {
    const name = sessionStorage.getItem('lyceum.tab') ?? newKey()
    sessionStorage.setItem('lyceum.tab', name)
    return name
  } catch {
    return 'only'
  }
}

export const keepTyped = (place: string, typed: TypedFields): void =>
  keep(`${place}.${tab()}`, Object.keys(typed).length > 0 ? typed : undefined)

/** What this tab had typed before it was loaded again, and what closed tabs left behind; of one field the latest. */
export function adopt(place: string): TypedFields {
  const own = `${place}.${tab()}`
  const found: TypedFields = {}
  for (const name of namesOf(place)) {
    const typed = kept<TypedFields>(name) ?? {}
    const isLeft = Object.values(typed).every(({ at }) => at < Date.now() - LEFT_MS)
    if (name !== own && !isLeft) continue
    for (const [field, one] of Object.entries(typed)) if ((found[field]?.at ?? 0) < one.at) found[field] = one
    if (name !== own) keep(name, undefined)
  }
  keepTyped(place, found)
  return found
}

function namesOf(place: string): string[] {
  try {
    const start = `lyceum.${place}.`
    return Object.keys(localStorage).flatMap((key) => (key.startsWith(start) ? [key.slice(7)] : []))
  } catch {
    return []
  }
}
