import { readFileSync } from 'node:fs'
import fastify from 'fastify'
import { openDatabase } from '#foundation/database.ts'
import { readChannel } from '../src/learning/channels/read.ts'
import { attemptBare, beatBare } from './bench-beats.ts'
import { hashBare } from './bench-hash.ts'
import { rotateBare } from './bench-rotate.ts'

/**
 * The bare limits, in a process of their own: what the machine can do without our product.
 * B1: a Fastify route without hooks. B1 with ready bytes. B2: B1 plus the same SELECT on one pipelined connection.
 * B3: the same statements of a refresh, or one upsert, in a loop, without HTTP. B4: password hashes in a loop. These run by a
 * message from the parent.
 */
const { url, tenant_id, user_id, bytes_file } = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>
const database = openDatabase({ url: url ?? '' })
const viewer = {
  tenant_id: tenant_id ?? '',
  user_id: user_id ?? '',
  email: '',
  is_admin: false,
  edits_all: false,
}
const bytes = readFileSync(bytes_file ?? '')

const app = fastify({ logger: false })
const schema = { response: { 200: { type: 'object', properties: { ok: { type: 'boolean' } } } } }
app.get('/constant', { schema }, async () => ({ ok: true }))
app.get('/bytes', async (_, reply) => reply.type('application/json; charset=utf-8').send(bytes))
app.get<{ Params: { id: string } }>('/channel/:id', async ({ params }, reply) =>
  reply.type('application/json; charset=utf-8').send(await readChannel(database.fast, viewer, params.id)),
)
const address = await app.listen({ host: '127.0.0.1', port: 0 })
type Order =
  | { rotate: { seconds: number; tokens: string[]; site_id: string } }
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
