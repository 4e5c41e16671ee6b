import { saveEdit } from '#foundation/web/client/conflict.ts'
import { refusal } from './api.ts'
import type { LessonDraft } from './editor-draft.ts'
import { clock } from './format.ts'

type Shown = { version: number; text: string }
const [BEFORE, THEIRS, MINE] = [0, 1, 2]

/** Shows each disputed field as it was, as others have it and as it was typed here, and lets the author choose. */
export async function compareAll(draft: LessonDraft, labelOf: (name: string) => string): Promise<void> {
  for (const [name, theirs] of Array.from(draft.disputed)) {
    const [base, other] = theirs.is_conflict
      ? [theirs.base, theirs.published]
      : [draft.typedOf(name)?.base ?? draft.publishedOf(name), theirs.value]
    const chosen = await saveEdit<Shown>({
      was: { version: BEFORE, text: inWords(base) },
      yours: { text: inWords(draft.valueOf(name)) },
      names: { text: labelOf(name) },
      read: async () => ({ version: THEIRS, text: inWords(other) }),
      save: async ({ text = '' }, version) => {
        if (version === BEFORE) throw Object.assign(refusal(412, ''), { code: 'version_conflict' })
        return { version: MINE, text }
      },
    })
    // They go on editing.
    if (!chosen) return
    draft.decide(name, chosen.version === MINE)
  }
}

/** A value as a person reads it: rows one below the other. */
function inWords(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(inWords).join('\n')
  if (typeof value !== 'object') return String(value as string | number | boolean)
  return Object.entries(value)
    .filter(([name, inner]) => name !== 'id' && inner !== '' && inner !== null && inner !== false)
    .map(([name, inner]) =>
      name === 'start_seconds' && typeof inner === 'number' ? clock(inner) : inWords(inner),
    )
    .join(' · ')
}
