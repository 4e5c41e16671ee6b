import type postgres from 'postgres'
import type { Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import type { Handlers } from '#foundation/jobs/attempt.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'
import type { Identity, Letter } from '#foundation/security/session-gate.ts'

const KIND = 'learning.letter'
/** Seconds between attempts. The sso delivers with retries of its own, so only its database can be absent. */
const DELAYS = [5, 60, 600, 3_600]

/** A letter to one person of the tenant, and for letters that a person wrote, who. */
export type NewLetter = Omit<Letter, 'letter_id'> & { kind: string; sender_id?: string }

/**
 * The one door for mail from learning. Writes the letters and their jobs in the caller's transaction, so that they
 * leave exactly when it commits. Who has no verified address gets none. The caller bounds how many.
 */
export async function queueLetters(
  tx: Tx,
  tenant_id: string,
  letters: readonly Omit<NewLetter, 'tenant_id'>[],
) {
  if (letters.length === 0) return
  const rows = letters.map((letter) => ({ ...letter, letter_id: newId() }))
  await tx`delete from learning.letters
            where tenant_id = ${tenant_id} and done_at < clock_timestamp() - interval '7 days'`
  await tx`
    insert into learning.letters (tenant_id, letter_id, kind, user_id, sender_id, bodies, unsubscribe_url)
    select ${tenant_id}, letter_id, kind, user_id, sender_id, bodies, unsubscribe_url
      from jsonb_to_recordset(${tx.json(rows as unknown as postgres.JSONValue)}) as letter (
           letter_id uuid, kind text, user_id text, sender_id text, bodies jsonb, unsubscribe_url text)`
  await enqueue(
    tx,
    rows.map(({ letter_id }) => ({
      kind: KIND,
      payload: { tenant_id, letter_id },
      delays: DELAYS,
      is_endless: true,
      lease_seconds: 30,
    })),
  )
}

/** Hands letters to the sso. The id of the letter is that of the message, so a repeated job sends nothing twice. */
export const letterJobs = (identity: Pick<Identity, 'sendLetter'>): Handlers => ({
  [KIND]: async ({ job, db }) => {
    const { tenant_id, letter_id } = job.payload as { tenant_id: string; letter_id: string }
    const [letter] = await db.pool<Letter[]>`
      select letter_id, tenant_id, user_id, bodies, unsubscribe_url from learning.letters
       where tenant_id = ${tenant_id} and letter_id = ${letter_id} and bodies is not null`
    // Gone with its person, or handed over by an earlier attempt.
    if (!letter) return
    await identity.sendLetter({ ...letter, unsubscribe_url: letter.unsubscribe_url ?? undefined })
    return {
      record: async (tx) =>
        void (await tx`
          update learning.letters set bodies = null, done_at = clock_timestamp()
           where tenant_id = ${tenant_id} and letter_id = ${letter_id}`),
    }
  },
})

/** Letters to and from an erased person go; what the sso has queued goes with their account. */
export const removeLetters = (tx: Tx, tenant_ids: string[], user_id: string) => tx`
  delete from learning.letters
   where tenant_id = any(${tenant_ids}) and (user_id = ${user_id} or sender_id = ${user_id})`
