import { one, type Tx } from '#foundation/database/database.ts'
import { badRequest, unprocessable } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { Store, Viewer } from '../access/access.ts'
import { dueFor, lockFor } from '../access/deadlines.ts'
import { joinToLearn } from '../access/join.ts'
import { mayLearn } from '../access/open.ts'
import { absoluteLink, collectFaults, link, text } from '../values.ts'
import { attachFiles } from './attachments.ts'
import type { SUBMISSION_TYPES } from './homework.ts'
import { dropHomeworkDraft } from './draft.ts'
import { openHomework } from './open.ts'
import { readOwnSubmission } from './submission-rows.ts'
import type { Attachment, NewSubmission } from './submission.ts'

type Work = { text: string | null; url: string | null; attachments: Attachment[] }

/**
 * Each submission is a new row, and the first one enrolls. A repeated `client_id` gets its submission again (`isNew`
 * false), even when nothing more may be submitted. 404, 403 not joinable or locked, 400 for an archived channel,
 * after the cut-off, for a kind that is not allowed, or none left.
 */
export async function submitHomework(
  { db }: Store,
  viewer: Viewer,
  homework_id: string,
  body: NewSubmission,
  idempotency_key: string | undefined,
) {
  const work = cleanWork(body)
  const client_id = clientIdOf(body, idempotency_key)
  const { tenant_id, user_id, email } = viewer

  return db.transaction(async (tx) => {
    const episode = await openHomework(tx, viewer, homework_id)
    // The enrollment is locked from here on, so this learner's submissions take turns.
    await joinToLearn(tx, viewer, episode.channel_id)
    const standing = await readStanding(tx, viewer, homework_id, client_id)
    if (standing.sent_before)
      return { isNew: false, submission: await readOwnSubmission(tx, tenant_id, standing.sent_before) }
    mayLearn(episode)
    refuseWork(work, standing)

    const id = newId()
    const attachments = await attachFiles(tx, viewer, { homework_id, submission_id: id }, work.attachments)
    await tx`
      update learning.submissions set is_current = false
       where tenant_id = ${tenant_id} and homework_id = ${homework_id} and user_id = ${user_id} and is_current`
    await tx`
      insert into learning.submissions (
        tenant_id, id, homework_id, user_id, user_email, attempt_number, client_id, text, url, attachments,
        submitted_at, due_at_then, is_preview, is_current, status)
      values (
        ${tenant_id}, ${id}, ${homework_id}, ${user_id}, ${email}, ${standing.used + 1}, ${client_id}, ${work.text},
        ${work.url}, ${tx.json(attachments)}, ${standing.now}, ${standing.due_at}, ${standing.is_preview}, true,
        'submitted')`
    await dropHomeworkDraft(tx, viewer, homework_id)
    return { isNew: true, submission: await readOwnSubmission(tx, tenant_id, id) }
  })
}

function cleanWork(body: NewSubmission): Work {
  const faults = collectFaults()
  const work = {
    text: body.text?.trim() ? text(body.text) : null,
    url: body.url ? absoluteLink(body.url, faults.at('url')) : null,
    attachments: (body.attachments ?? []).map((attachment, index) => ({
      url: link(attachment.url, faults.at(`attachments[${index}].url`)),
      name: attachment.name ?? null,
      size_bytes: attachment.size_bytes ?? null,
      mime_type: attachment.mime_type ?? null,
    })),
  }
  if (work.text === null && work.url === null && work.attachments.length === 0)
    faults.at('text')('required', 'one of text, url and attachments is required')
  faults.refuseIfAny()
  return work
}

/** The `client_id` of the body wins over the Idempotency-Key header, which no schema has validated. */
function clientIdOf({ client_id }: NewSubmission, idempotency_key: string | undefined): string | null {
  if (client_id) return client_id
  if (idempotency_key === '' || (idempotency_key?.length ?? 0) > 255)
    throw unprocessable('Idempotency-Key', 'length', 'must have 1 to 255 characters')
  return idempotency_key ?? null
}

type Standing = {
  submission_types: (typeof SUBMISSION_TYPES)[number][]
  due_at: string | null
  now: string
  is_preview: boolean
  is_locked: boolean
  is_past_due: boolean
  used: number
  is_used_up: boolean
  sent_before: string | null
}

/** The rules and the learner's earlier submissions, at one moment of the database clock. */
const readStanding = async (
  tx: Tx,
  { tenant_id, user_id, is_admin }: Viewer,
  homework_id: string,
  client_id: string | null,
) =>
  one(
    await tx<Standing[]>`
      select h.submission_types, ${dueFor(tx, user_id)} as due_at, moment.now,
             ${is_admin} or c.owner_id = ${user_id} or ${user_id} = any(c.instructor_ids) as is_preview,
             coalesce(moment.now > ${lockFor(tx, user_id)}, false) as is_locked,
             h.late_policy = 'reject' and coalesce(moment.now > ${dueFor(tx, user_id)}, false) as is_past_due,
             past.used, h.max_submissions > 0 and past.used >= h.max_submissions as is_used_up, past.sent_before
        from learning.homework h
        join learning.episodes e on e.tenant_id = h.tenant_id and e.id = h.episode_id
        join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id,
             (select clock_timestamp()::timestamptz(3) as now) as moment,
             lateral (
               select count(*) as used, min(s.id::text) filter (where s.client_id = ${client_id}) as sent_before
                 from learning.submissions s
                where s.tenant_id = h.tenant_id and s.homework_id = h.id and s.user_id = ${user_id}) as past
       where h.tenant_id = ${tenant_id} and h.id = ${homework_id}`,
  )

/** 400 if the rules of the homework refuse the submission. */
function refuseWork(work: Work, { submission_types, is_locked, is_past_due, is_used_up }: Standing) {
  if (is_locked || is_past_due) throw badRequest('deadline_passed', 'Homework is no longer accepted')
  if (is_used_up) throw badRequest('no_submissions_left', 'No submissions left')
  const used = { text: work.text !== null, url: work.url !== null, file: work.attachments.length > 0 }
  for (const kind of ['text', 'url', 'file'] as const)
    if (used[kind] && !submission_types.includes(kind))
      throw badRequest('kind_not_allowed', `This homework does not take a submission of kind ${kind}`)
}
