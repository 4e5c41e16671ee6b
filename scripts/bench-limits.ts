import fastify from 'fastify'
import { openDatabase } from '#foundation/database/database.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { PageOf } from '#foundation/http/paging.ts'
import { Channel, ListedChannel } from '../src/learning/channels/channel.ts'
import { listChannels } from '../src/learning/channels/list.ts'
import { readChannel } from '../src/learning/channels/read.ts'
import { readFeed } from '../src/learning/device-feed/feed.ts'
import { JsonFeed } from '../src/learning/device-feed/json-feed.ts'
import { readVersion } from '../src/learning/device-feed/versions.ts'
import { findUser, User } from '../src/sso/people/person/users.ts'
import { attemptBare, beatBare } from './bench-beats.ts'
import { hashBare } from './bench-hash.ts'
import { readSession } from './bench-session.ts'
import { rotateBare } from './bench-rotate.ts'

/**
 * Bare limits in a process of their own. B2: Fastify without hooks; looks up the verified token, reads session and rows
 * in one pipelined round trip, serializes the same fields; the feed has no token, only rows or version. B3: the
 * statements of a refresh, a beat or an attempt, in a loop; B4: password hashes. The parent starts B3 and B4.
 */
const { url, tenant_id, user_id, site_id } = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>
const database = openDatabase({ url: url ?? '' })
const viewer = {
  tenant_id: tenant_id ?? '',
  user_id: user_id ?? '',
  email: '',
  is_admin: false,
  edits_all: false,
}
const person: Caller = {
  user_id: viewer.user_id,
  tenant_id: viewer.tenant_id,
  site_id: site_id ?? '',
  site_code: '',
  session_id: '',
  session_version: 1,
  email: '',
  locale: null,
  environment: 'production',
  is_first_party: false,
  role: 'USER',
  scope: null,
  permissions: [],
}
const app = fastify({ logger: false })
app.get<{ Params: { id: string } }>(
  '/channel/:id',
  { schema: { response: { 200: Channel } } },
  async ({ headers, params }) => {
    const [channel] = await Promise.all([
      readChannel(database.fast, viewer, params.id),
      readSession(database, headers.authorization ?? ''),
    ])
    return channel
  },
)
app.get('/channels', { schema: { response: { 200: PageOf(ListedChannel) } } }, async ({ headers }) => {
  const query = { page: 1, per_page: 20 }
  const [{ items, total }] = await Promise.all([
    listChannels(database, viewer, query),
    readSession(database, headers.authorization ?? ''),
  ])
  return { ...query, items, total, pages: Math.ceil(total / query.per_page) }
})
app.get<{ Params: { id: string } }>(
  '/feed/:id',
  { schema: { response: { 200: JsonFeed } } },
  async ({ params: { id }, headers }, reply) => {
    if (headers['if-none-match'] !== undefined) {
      await readVersion(database.fast, id)
      return reply.code(304).send()
    }
    const page = await readFeed(database.fast, { channel_id: id, page: 1, base: 'http://127.0.0.1:8065' })
    return page?.feed
  },
)
app.get('/user', { schema: { response: { 200: User } } }, async ({ headers }) => {
  const [user] = await Promise.all([
    findUser(database.fast, person, person.user_id),
    readSession(database, headers.authorization ?? ''),
  ])
  return user
})
const address = await app.listen({ host: '127.0.0.1', port: 0 })
type Order =
  | { rotate: Parameters<typeof rotateBare>[1] }
  | { hash: { seconds: number } }
  | { beat: Parameters<typeof beatBare>[1] }
  | { attempt: Parameters<typeof attemptBare>[1] }
process.on('message', (order: Order) => {
  void run(order).then((count) => process.send?.({ count }))
})
process.send?.({ address })

function run(order: Order): Promise<number> {
  if ('rotate' in order) return rotateBare(database, order.rotate)
  if ('beat' in order) return beatBare(database, order.beat)
  if ('attempt' in order) return attemptBare(database, order.attempt)
  return hashBare(order.hash.seconds)
}
