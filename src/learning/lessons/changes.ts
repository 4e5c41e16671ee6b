import type { Viewer } from '../access/access.ts'
import { openEpisode, requireEditor } from '../access/open.ts'
import { lockForEdit } from '../channels/change.ts'
import type { Learning } from '../learning.ts'
import { collectFaults } from '../values.ts'
import { type ChangesBody, shown } from './change.ts'
import { isSame, isTooDeep, placeOf } from './fields.ts'
import { closeRows, listKept, saveRows, versionOf } from './kept.ts'
import { readLesson } from './lesson.ts'

/** What an editor of the episode has typed and not published. 404 without access, 403 to others than editors. */
export async function readChanges(learning: Learning, viewer: Viewer, episode_id: string, since: number) {
  const { fast } = learning.db
  requireEditor(await openEpisode(fast, viewer, episode_id))
  const [lesson, kept] = await Promise.all([
    readLesson(fast, viewer.tenant_id, episode_id),
    listKept(fast, viewer.tenant_id, episode_id),
  ])
  return shown(learning, viewer, { lesson, kept, since })
}

/**
 * Keeps what was typed, right or wrong: it is judged when it is published. A field that somebody else changed since stays
 * as it is and is told as refused. Changes of work that is gone are not kept, and told. 422 for names that no lesson has.
 */
export async function mergeChanges(
  learning: Learning,
  viewer: Viewer,
  episode_id: string,
  { since = 0, changes }: ChangesBody,
) {
  refuseUnknown(changes)
  const { tenant_id, user_id } = viewer
  const { channel_id } = await openEpisode(learning.db.fast, viewer, episode_id)
  const written = await learning.db.transaction(async (tx) => {
    await lockForEdit(tx, viewer, channel_id)
    const lesson = await readLesson(tx, tenant_id, episode_id)
    const known = new Map((await listKept(tx, tenant_id, episode_id)).map((row) => [row.name, row]))
    const [refused, gone]: [string[], string[]] = [[], []]
    const rows: { name: string; value: string; base: string }[] = []
    for (const { name, value, over, base } of changes) {
      const published = lesson.fields.get(name)
      if (published === undefined) {
        gone.push(name)
        continue
      }
      const now = known.get(name)
      const current = now?.is_open ? now.value : published
      if (now && now.version > over && !isSame(current, value)) refused.push(name)
      // Written before, and the answer was lost; or the same was typed by two.
      else if (!now?.is_open || !isSame(current, value) || base !== undefined) {
        const from = base === undefined ? (now?.is_open ? now.base : published) : base
        rows.push({ name, value: JSON.stringify(value), base: JSON.stringify(from) })
      }
    }
    if (rows.length > 0) await saveRows(tx, { tenant_id, user_id, episode_id }, rows)
    return { lesson, kept: await listKept(tx, tenant_id, episode_id), refused, gone, rows }
  })
  const own = new Set(written.rows.map(({ name }) => name))
  return shown(learning, viewer, { ...written, since, own })
}

/** Throws away what was not published, all of it. The version goes on, so that other editors hear of it. */
export async function discardChanges(
  learning: Learning,
  viewer: Viewer,
  episode_id: string,
  refuseStale: (version: number) => void,
) {
  const { tenant_id } = viewer
  const { channel_id } = await openEpisode(learning.db.fast, viewer, episode_id)
  const found = await learning.db.transaction(async (tx) => {
    await lockForEdit(tx, viewer, channel_id)
    const lesson = await readLesson(tx, tenant_id, episode_id)
    const kept = await listKept(tx, tenant_id, episode_id)
    if (kept.some(({ is_open }) => is_open)) {
      refuseStale(versionOf(kept))
      await closeRows(tx, viewer, episode_id, versionOf(kept) + 1)
    }
    return { lesson, kept: await listKept(tx, tenant_id, episode_id) }
  })
  return shown(learning, viewer, { ...found, since: 0 })
}

function refuseUnknown(changes: ChangesBody['changes']) {
  const faults = collectFaults()
  const names = new Set<string>()
  for (const [i, { name, value, base }] of changes.entries()) {
    if (!placeOf(name)) faults.at(`changes[${i}].name`)('unknown_field', 'is not known')
    if (names.has(name)) faults.at(`changes[${i}].name`)('repeated', 'stands twice in the list')
    if (isTooDeep(value) || isTooDeep(base)) faults.at(`changes[${i}].value`)('too_deep', 'is too deep')
    names.add(name)
  }
  faults.refuseIfAny()
}
