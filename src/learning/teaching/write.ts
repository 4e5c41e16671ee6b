import { type Static, Type } from 'typebox'
import type { Database, Tx } from '#foundation/database/database.ts'
import { tooMany, unprocessable } from '#foundation/errors.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { Profile } from '#foundation/security/session-gate.ts'
import type { Viewer } from '../access/access.ts'
import { queueLetters } from '../letters/letters.ts'
import { collectFaults, name, text } from '../values.ts'
import { type Names, profilesById } from '../names.ts'
import { isLearner, isStaff, requireStaff } from './staff.ts'

export const LetterBody = Type.Object({
  user_ids: Type.Array(Uuid, { minItems: 1, maxItems: 200 }),
  subject: Type.String({ minLength: 1, maxLength: 150 }),
  text: Type.String({ minLength: 1, maxLength: 5_000 }),
})
export type LetterBody = Static<typeof LetterBody>

/** `unreachable`: who does not learn in the channel, or has no verified address. */
export const Written = Type.Object({ sent: Type.Integer(), unreachable: Type.Array(Uuid) })

const KIND = 'message'
/** Letters per teacher in 24 hours. */
const A_DAY = 500

/**
 * Mails plain text to learners of a channel, with the name of the teacher. 404, 403; 422 for a subject of more than one
 * line; 429 for whoever wrote 500 letters in 24 hours. Repeated, it is written again.
 */
export async function writeToLearners(
  db: Database,
  names: Names,
  viewer: Viewer,
  { channel_id, body }: { channel_id: string; body: LetterBody },
): Promise<Static<typeof Written>> {
  const { tenant_id, user_id } = viewer
  const words = cleanWords(body)
  await requireStaff(db.fast, viewer, channel_id)
  const asked = [...new Set(body.user_ids.map((id) => id.toLowerCase()))]
  const profiles = await profilesById(names, tenant_id, [...asked, user_id])
  const sender = profiles.get(user_id)
  const verified = asked.filter((id) => profiles.get(id)?.email_verified)
  return db.transaction(async (tx) => {
    // A teacher's letters take turns, so that the bound holds for parallel requests.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`letters/${tenant_id}/${user_id}`}, 0))`
    const learners = await tx<{ user_id: string; title: string }[]>`
      select n.user_id, c.title
        from learning.enrollments n
        join learning.channels c on c.tenant_id = n.tenant_id and c.id = n.channel_id
       where n.tenant_id = ${tenant_id} and n.channel_id = ${channel_id} and n.user_id = any(${verified})
         and ${isStaff(tx, viewer)} and ${isLearner(tx)}
       order by n.user_id`
    await refuseOverBound(tx, viewer, learners.length)
    await queueLetters(
      tx,
      tenant_id,
      learners.map(({ user_id: to, title }) => ({
        kind: KIND,
        sender_id: user_id,
        user_id: to,
        bodies: bodiesOf(words, { sender: nameOf(sender, viewer), title }),
      })),
    )
    const reached = new Set(learners.map((learner) => learner.user_id))
    return { sent: reached.size, unreachable: asked.filter((id) => !reached.has(id)) }
  })
}

type Words = { subject: string; text: string }

function cleanWords(body: LetterBody): Words {
  if (/[\p{Cc}\u2028\u2029]/u.test(body.subject))
    throw unprocessable('subject', 'line_break', 'must be one line')
  const faults = collectFaults()
  const words = {
    subject: name(body.subject, faults.at('subject')),
    text: name(body.text, faults.at('text')),
  }
  faults.refuseIfAny()
  // Every line is a paragraph, because mail in HTML joins the lines of one.
  return {
    ...words,
    text: words.text
      .split(/\r\n|\r|\n/)
      .filter((line) => line.trim() !== '')
      .join('\n\n'),
  }
}

async function refuseOverBound(tx: Tx, { tenant_id, user_id }: Viewer, more: number) {
  const [written] = await tx<{ letters: number }[]>`
    select count(*)::int as letters from learning.letters
     where tenant_id = ${tenant_id} and sender_id = ${user_id} and kind = ${KIND}
       and created_at > clock_timestamp() - interval '24 hours'`
  if ((written?.letters ?? 0) + more > A_DAY)
    throw tooMany('rate_limited', `At most ${A_DAY} letters can be written in 24 hours`, 3_600)
}

const nameOf = (sender: Profile | undefined, { email }: Viewer) =>
  text(sender?.display_name || sender?.email || email)

/** Who writes stands in the text and not in a header, where it could pass for an address. */
function bodiesOf({ subject, text: said }: Words, { sender, title }: { sender: string; title: string }) {
  const framed = (head: string, foot: string) => ({ subject, text: [head, said, foot].join('\n\n') })
  return {
    en: framed(
      `${sender} writes to you about “${title}”:`,
      'You get this mail because you learn in this channel on Lyceum. Replies to this address are not read.',
    ),
    de: framed(
      `${sender} schreibt Ihnen zu „${title}“:`,
      'Sie erhalten diese E-Mail, weil Sie in diesem Kanal auf Lyceum lernen. Antworten an diese Adresse liest niemand.',
    ),
    es: framed(
      `${sender} le escribe sobre «${title}»:`,
      'Recibe este correo porque aprende en este canal de Lyceum. Nadie lee las respuestas a esta dirección.',
    ),
  }
}
