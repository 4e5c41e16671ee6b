import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isUuid } from '#foundation/ids.ts'

/** One erasure as it stands in the list: ids and words of ours, nothing that says who it was. */
export type Noted = {
  user_id: string
  environment: 'sandbox' | 'production'
  reason_code: string
  ccpa_drop_request: boolean
  gdpr_erasure_request: boolean
  erased_at: string
}

/** Beside the database, because a restore of the database must not lose it. */
const pathOf = (dataDir: string) => join(dataDir, 'erasures.jsonl')

/** Adds lines to DATA_DIR/erasures.jsonl (mode 0600) and flushes them. A line may stand there twice. */
export async function noteErasures(dataDir: string, erasures: readonly Noted[]): Promise<void> {
  if (erasures.length === 0) return
  const file = await open(pathOf(dataDir), 'a', 0o600)
  try {
    // The first line break ends what a crash may have left unfinished.
    await file.appendFile(`\n${erasures.map((one) => JSON.stringify(one)).join('\n')}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  // A program that has given up root may not open the folder; it made the file at its start, so there is no name to flush.
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

/** What the list says, by user_id, and how many lines cannot be read: those that a crash cut short, which stand there anew. */
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
