import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isUuid } from '#foundation/ids.ts'

/** An entry of the erasure list: ids and fixed words only, nothing that identifies the person. */
export type Noted = {
  user_id: string
  environment: 'sandbox' | 'production'
  reason_code: string
  ccpa_drop_request: boolean
  gdpr_erasure_request: boolean
  erased_at: string
}

/** Outside the database, because restoring the database must not lose it. */
const pathOf = (dataDir: string) => join(dataDir, 'erasures.jsonl')

/** Appends entries to DATA_DIR/erasures.jsonl (mode 0600) and flushes them. Duplicates are harmless. */
export async function noteErasures(dataDir: string, erasures: readonly Noted[]): Promise<void> {
  if (erasures.length === 0) return
  const file = await open(pathOf(dataDir), 'a', 0o600)
  try {
    // The leading line break terminates a line that a crash cut short.
    await file.appendFile(`\n${erasures.map((one) => JSON.stringify(one)).join('\n')}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  // A process that dropped root may be unable to open the folder. It created the file at start, so no directory entry
  // needs a flush.
  const folder = await open(dataDir, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error
  })
  if (!folder) return
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Reads the list by user_id. `unreadable` counts lines cut short by a crash, which are present again in full. */
export async function readErasures(
  dataDir: string,
): Promise<{ erasures: ReadonlyMap<string, Noted>; unreadable: number }> {
  const text = await readFile(pathOf(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const erasures = new Map<string, Noted>()
  let unreadable = 0
  for (const line of text.split('\n')) {
    if (line === '') continue
    const noted = parse(line)
    if (noted) erasures.set(noted.user_id, noted)
    else unreadable++
  }
  return { erasures, unreadable }
}

function parse(line: string): Noted | undefined {
  let value: Partial<Noted>
  try {
    value = JSON.parse(line) as Partial<Noted>
  } catch {
    return undefined
  }
  const { user_id, environment, reason_code, erased_at } = value
  const { ccpa_drop_request = false, gdpr_erasure_request = true } = value
  if (typeof user_id !== 'string' || !isUuid(user_id)) return undefined
  if (environment !== 'sandbox' && environment !== 'production') return undefined
  if (typeof reason_code !== 'string' || typeof erased_at !== 'string' || Number.isNaN(Date.parse(erased_at)))
    return undefined
  return { user_id, environment, reason_code, ccpa_drop_request, gdpr_erasure_request, erased_at }
}
