import { randomUUID } from 'node:crypto'
import type { Database, Tx } from '#foundation/database/database.ts'
import { kindOf, QUESTION_TYPES } from '../exams/kinds.ts'
import { deleteFilesOf } from '../files/remove.ts'
import { removeLetters } from '../letters/letters.ts'

/**
 * Erases a person whom the sso has erased, in all tenants and one transaction. What they learned moves to a random id
 * without e-mail address, texts and links; scores stay for statistics. What they did as owner or grader keeps the bare
 * id, which identifies nobody. A repeated call also erases what was written since.
 */
export async function forgetUser(db: Database, user_id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const tenant_ids = await listTenants(tx)
    const person = { user_id, nobody: randomUUID(), tenant_ids }
    await blankSubmissions(tx, person)
    await deleteFilesOf(tx, tenant_ids, user_id)
    await blankAnswers(tx, person)
    await dropDrafts(tx, person)
    await moveWatching(tx, person)
    await blankSuggestions(tx, person)
    await removeNotices(tx, person)
    await removeLetters(tx, tenant_ids, user_id)
    await removeWords(tx, person)
    await revokeCertificates(tx, person)
    await disownChanges(tx, person)
  })
}

/**
 * Each tenant that ever had a channel has a row of counts. Only settings and calendars can be older than the first
 * channel.
 */
async function listTenants(tx: Tx): Promise<string[]> {
  const rows = await tx<{ tenant_id: string }[]>`
    select tenant_id from learning.channel_counts
    union select tenant_id from learning.notification_settings
    union select tenant_id from learning.calendars
    order by tenant_id`
  return rows.map(({ tenant_id }) => tenant_id)
}

type Person = { user_id: string; nobody: string; tenant_ids: string[] }

/** A teacher's feedback addresses the person, so it is blanked as well; points stay. */
async function blankSubmissions(tx: Tx, { user_id, nobody, tenant_ids }: Person) {
  await tx`
    update learning.replaced_grades g
       set feedback = '', rubric_scores = ${withoutComments(tx, tx`g.rubric_scores`)}
      from learning.submissions s
     where s.tenant_id = any(${tenant_ids}) and s.user_id = ${user_id}
       and g.tenant_id = s.tenant_id and g.submission_id = s.id`
  await tx`
    update learning.submissions s
       set user_id = ${nobody}, user_email = '', client_id = null, text = null, url = null, attachments = '[]',
           feedback = '', rubric_scores = ${withoutComments(tx, tx`s.rubric_scores`)}
     where s.tenant_id = any(${tenant_ids}) and s.user_id = ${user_id}`
}

const withoutComments = (tx: Tx, scores: ReturnType<typeof tx>) => tx`
  (select coalesce(jsonb_agg(score || '{"comment": ""}' order by place), '[]')
     from jsonb_array_elements(${scores}) with ordinality as listed (score, place))`

/** Above any version of an answer key: an attempt that lost answers must not be regraded from the remaining ones. */
const NEVER_REGRADED = 2_147_483_647

const OWN_WORDS = QUESTION_TYPES.filter((type) => kindOf(type).isOwnWords)

/** Choices are ids of options and stay. Only answers in the person's own words are removed. */
async function blankAnswers(tx: Tx, { user_id, nobody, tenant_ids }: Person) {
  await tx`
    update learning.attempts a
       set user_id = ${nobody}, client_id = null, draft = null, graded_version = ${NEVER_REGRADED},
           answers = a.answers - array(
             select q.id::text from learning.questions q
              where q.tenant_id = a.tenant_id and q.test_id = a.test_id and q.type = any(${OWN_WORDS}))
     where a.tenant_id = any(${tenant_ids}) and a.user_id = ${user_id}`
}

/** What was not handed in, what was taken back, and what a teacher granted to this person. */
async function dropDrafts(tx: Tx, { user_id, tenant_ids }: Person) {
  await tx`
    delete from learning.homework_drafts where tenant_id = any(${tenant_ids}) and user_id = ${user_id}`
  await tx`
    delete from learning.reset_attempts where tenant_id = any(${tenant_ids}) and user_id = ${user_id}`
  await tx`
    delete from learning.deadlines where tenant_id = any(${tenant_ids}) and user_id = ${user_id}`
  await tx`
    delete from learning.extra_attempts where tenant_id = any(${tenant_ids}) and user_id = ${user_id}`
}

/**
 * Learner counts leave editors out, and the random id edits no channel. `as_admin` keeps a former editor out of the
 * counts.
 */
async function moveWatching(tx: Tx, { user_id, nobody, tenant_ids }: Person) {
  await tx`
    update learning.enrollments e
       set user_id = ${nobody}, user_email = '',
           as_admin = e.as_admin or learning.is_editor(e.tenant_id, e.user_id, e.channel_id)
     where e.tenant_id = any(${tenant_ids}) and e.user_id = ${user_id}`
  await tx`
    update learning.progress set user_id = ${nobody}
     where tenant_id = any(${tenant_ids}) and user_id = ${user_id}`
  await tx`
    update learning.activity_days set user_id = ${nobody}
     where tenant_id = any(${tenant_ids}) and user_id = ${user_id}`
}

/** What they were told, how they wanted to be told, and the address of their calendar. */
async function removeNotices(tx: Tx, { user_id, tenant_ids }: Person) {
  await tx`delete from learning.notifications where tenant_id = any(${tenant_ids}) and user_id = ${user_id}`
  await tx`delete from learning.notification_settings where tenant_id = any(${tenant_ids}) and user_id = ${user_id}`
  await tx`delete from learning.calendars where tenant_id = any(${tenant_ids}) and user_id = ${user_id}`
}

/** Notes are theirs alone and go. Posts lose their text and author; the answers of others stay. */
async function removeWords(tx: Tx, { user_id, nobody, tenant_ids }: Person) {
  await tx`delete from learning.notes where tenant_id = any(${tenant_ids}) and user_id = ${user_id}`
  await tx`
    update learning.posts
       set user_id = ${nobody}, text = '', client_id = null, deleted_at = coalesce(deleted_at, clock_timestamp())
     where tenant_id = any(${tenant_ids}) and user_id = ${user_id}`
}

/** What they typed into a lesson belongs to its channel and stays, without saying who it was. */
async function disownChanges(tx: Tx, { user_id, nobody, tenant_ids }: Person) {
  await tx`
    update learning.episode_changes set changed_by = ${nobody}
     where tenant_id = any(${tenant_ids}) and changed_by = ${user_id}`
}

/** A certificate names its person, so it is no longer valid. */
async function revokeCertificates(tx: Tx, { user_id, tenant_ids }: Person) {
  await tx`delete from learning.certificates where tenant_id = any(${tenant_ids}) and user_id = ${user_id}`
}

/**
 * Removes the person from the learners that the engagement agent listed. The reviewer of a suggestion keeps the bare
 * id.
 */
async function blankSuggestions(tx: Tx, { user_id, tenant_ids }: Person) {
  await tx`
    update learning.suggestions s
       set evidence = s.evidence || jsonb_build_object('learners', (
             select coalesce(jsonb_agg(learner order by place), '[]')
               from jsonb_array_elements(s.evidence -> 'learners') with ordinality as listed (learner, place)
              where learner ->> 'user_id' <> ${user_id}))
     where s.tenant_id = any(${tenant_ids}) and s.agent_type = 'engagement'
       and s.evidence @> ${tx.json({ learners: [{ user_id }] })}`
}
