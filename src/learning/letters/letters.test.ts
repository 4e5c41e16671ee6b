import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { eventually } from '#testing/eventually.ts'
import { startMailServer } from '#testing/mail-server.ts'
import { aUser, type Person } from '#testing/people.ts'
import { buildWorld, type World } from '#testing/world.ts'
import { type NewLetter, queueLetters } from './letters.ts'

let server: Awaited<ReturnType<typeof startMailServer>>
let lyceum: World

before(async () => {
  server = await startMailServer()
  lyceum = await buildWorld({ env: { SMTP_URL: server.url, SSO_URL: 'https://id.lyceum.example' } })
  await lyceum.startJobs()
  lyceum.startLearningJobs()
})
after(() => server.close())

const bodiesOf = (word: string) => {
  const body = { subject: `About ${word}`, text: `First ${word}.\n\nSecond.` }
  return { en: body, de: { ...body, subject: `Zu ${word}` }, es: body }
}

async function aReader({ isVerified = true, locale = 'en' } = {}): Promise<Person> {
  const person = await aUser({ lyceum })
  await lyceum.db.pool`
    update sso.users set locale = ${locale}, email_verified = ${isVerified},
           email_proven_at = case when ${isVerified} then clock_timestamp() end
     where user_id = ${person.user_id}`
  return person
}

/** The letter, beside the mail that asks a new person to prove their address. */
async function mailTo({ email }: Person) {
  const mails = await server.wants(email, 2)
  return mails.find(({ mail }) => mail.subject !== 'Confirm your e-mail address')?.mail ?? assert.fail()
}

const write = ({ tenant_id, user_id }: Person, given: Partial<NewLetter> = {}) =>
  lyceum.db.transaction((tx) =>
    queueLetters(tx, tenant_id, [{ kind: 'test', user_id, bodies: bodiesOf('x'), ...given }]),
  )

const lettersTo = ({ tenant_id, user_id }: Person) =>
  lyceum.db.pool<
    { letter_id: string; bodies: object | null; done_at: string | null }[]
  >`select letter_id, bodies, done_at from learning.letters where tenant_id = ${tenant_id} and user_id = ${user_id}`

async function done(person: Person) {
  return eventually(
    () => lettersTo(person),
    (rows) => rows.length > 0 && rows.every(({ done_at }) => done_at !== null),
  )
}

test('a letter arrives in the language of its reader, and its words go', async () => {
  const word = randomBytes(4).toString('hex')
  const reader = await aReader({ locale: 'de' })
  await write(reader, { bodies: bodiesOf(word) })
  const mail = await mailTo(reader)
  assert.equal(mail.subject, `Zu ${word}`)
  assert.ok(mail.text?.includes(`First ${word}.`))
  assert.equal(
    mail.headers.some(({ key }) => key.startsWith('list-')),
    false,
  )
  const [row] = await done(reader)
  assert.equal(row?.bodies, null)
})

test('a letter with a way out carries the headers of one click', async () => {
  const reader = await aReader()
  await write(reader, { unsubscribe_url: 'https://learning.example/unsubscribe?t=a%20b' })
  const mail = await mailTo(reader)
  const lines = mail.headerLines.map(({ line }) => line)
  assert.ok(
    lines.includes('List-Unsubscribe: <https://learning.example/unsubscribe?t=a%20b>'),
    lines.join('\n'),
  )
  assert.ok(lines.includes('List-Unsubscribe-Post: List-Unsubscribe=One-Click'))
})

test('a line break in a subject begins no header', async () => {
  const reader = await aReader()
  const subject = 'Hello\r\nBcc: victim@example.org\r\n\r\nbody'
  await write(reader, { bodies: { ...bodiesOf('x'), en: { subject, text: 'Text' } } })
  const mail = await mailTo(reader)
  assert.equal(mail.bcc, undefined)
  assert.ok(!mail.headers.some(({ key }) => key === 'bcc'))
  assert.equal(mail.text?.trim(), 'Text')
  assert.equal(server.to('victim@example.org').length, 0)
})

test('an unverified address, a stranger and a rolled back letter get nothing', async () => {
  const unverified = await aReader({ isVerified: false })
  await write(unverified)
  await done(unverified)
  const reader = await aReader()
  const foreign = { ...reader, tenant_id: crypto.randomUUID() }
  await write(foreign)
  await done(foreign)
  await assert.rejects(
    lyceum.db.transaction(async (tx) => {
      const letter = { kind: 'test', user_id: reader.user_id, bodies: bodiesOf('x') }
      await queueLetters(tx, reader.tenant_id, [letter])
      throw new Error('the fact did not happen')
    }),
  )
  assert.deepEqual([...(await lettersTo(reader))], [])
  const messages = await lyceum.db.pool`
    select from sso.messages where kind = 'learning_letter' and user_id = any(${[unverified.user_id, reader.user_id]})`
  assert.equal(messages.length, 0)
})

test('the same letter handed over twice is one message', async () => {
  const reader = await aReader()
  const { tenant_id, user_id } = reader
  const letter = { letter_id: crypto.randomUUID(), tenant_id, user_id, bodies: bodiesOf('twice') }
  const results = [await lyceum.identity.sendLetter(letter), await lyceum.identity.sendLetter(letter)]
  assert.deepEqual(results, [true, true])
  const messages = await lyceum.db.pool`
    select from sso.messages where kind = 'learning_letter' and user_id = ${user_id}`
  assert.equal(messages.length, 1)
})
