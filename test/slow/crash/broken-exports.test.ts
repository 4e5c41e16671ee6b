import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { aCollection } from '#testing/collections.ts'
import { aUser } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { collections, db } = await world()
await collections.listen({ host: '127.0.0.1', port: 0 })
const { port } = collections.server.address() as AddressInfo
after(() => collections.server.closeAllConnections())

const anna = await aUser()
const museum = await aCollection(anna)
await db.pool`
  with made as (
    insert into collections.items (id, tenant_id, name, description, created_by)
    select gen_random_uuid(), ${anna.tenant_id}, 'Leaf ' || n, repeat('x', 4000), ${anna.user_id}
      from generate_series(1, 3000) as n returning id)
  insert into collections.collection_items (tenant_id, collection_id, item_id)
  select ${anna.tenant_id}, ${museum}, id from made`

for (const version of ['1.0', '1.1'])
  for (const format of ['csv', 'jsonl'])
    test(`an export (${format}) that loses its database half-way ends in an error over HTTP/${version}`, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.write(
        `GET /api/collections/${museum}/export?format=${format} HTTP/${version}\r\nHost: 127.0.0.1:${port}\r\n` +
          `Authorization: ${anna.headers['authorization']}\r\n\r\n`,
      )
      const [first] = (await once(socket, 'data')) as [Buffer]
      assert.match(first.toString('latin1'), /^HTTP\/1\.1 200 /)
      socket.pause()
      const killed = await db.pool`
        select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and query like '%held as materialized%'`
      assert.equal(killed.length, 1)
      const [error] = (await once(socket.resume(), 'error')) as [NodeJS.ErrnoException]
      assert.equal(error.code, 'ECONNRESET')
    })
