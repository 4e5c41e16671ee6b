import type { Database } from '#foundation/database/database.ts'
import type { SsoParts } from '../../core/parts.ts'
import { erasePerson } from './erasure.ts'
import { noteErasures, type Noted, readErasures } from './list-file.ts'

const BATCH = 1_000

type Parts = Pick<SsoParts, 'config' | 'database' | 'log'>

/**
 * Runs at start, before requests are accepted. Erases again everyone in the list whom a restored database still knows,
 * then adds the database's erasures missing from the list. Safe to run concurrently. Returns the number of people
 * erased again.
 */
export async function eraseAgain(parts: Parts): Promise<number> {
  const { config, database, log } = parts
  const { erasures, unreadable } = await readErasures(config.DATA_DIR)
  if (unreadable > 0) log.warn({ lines: unreadable }, 'erasures.jsonl has lines that cannot be read')
  let again = 0
  for (const user_id of await findForgotten(database, [...erasures.keys()])) {
    const noted = erasures.get(user_id)
    if (noted && (await eraseOnceMore(parts, noted))) again++
  }
  if (again > 0) log.warn({ people: again }, 'people whom a restore had brought back were erased again')
  await completeList(parts, erasures)
  return again
}

/** People in the list whom the database still knows. */
async function findForgotten({ pool }: Database, user_ids: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (let from = 0; from < user_ids.length; from += BATCH) {
    const rows = await pool<{ user_id: string }[]>`
      select user_id from sso.users
       where user_id = any(${user_ids.slice(from, from + BATCH)}::uuid[]) and status <> 'deleted' order by user_id`
    found.push(...rows.map(({ user_id }) => user_id))
  }
  return found
}

async function eraseOnceMore({ database }: Parts, noted: Noted): Promise<boolean> {
  const { user_id, reason_code, ccpa_drop_request, gdpr_erasure_request, erased_at } = noted
  return await database.transaction(async (tx) => {
    const [person] = await tx<{ environment: Noted['environment'] }[]>`
        select environment from sso.users
         where user_id = ${user_id} and status <> 'deleted' for no key update`
    if (!person) return false
    const compliance_flags = { ccpa_drop_request, gdpr_erasure_request }
    await erasePerson(tx, {
      user_id,
      environment: person.environment,
      caller: { user_id: null },
      body: { reason_code, compliance_flags },
      erased_at,
    })
    return true
  })
}

/** Adds erasures made by other processes, or before the list existed. */
async function completeList({ config, database }: Parts, known: ReadonlyMap<string, Noted>) {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await database.pool<Noted[]>`
      select user_id, environment, reason_code, ccpa_drop_request, gdpr_erasure_request, erased_at
        from sso.erasures where user_id > ${after} order by user_id limit ${BATCH}`
    await noteErasures(
      config.DATA_DIR,
      rows.filter(({ user_id }) => !known.has(user_id)),
    )
    if (rows.length < BATCH) return
    after = rows.at(-1)?.user_id ?? after
  }
}
