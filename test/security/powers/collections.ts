import { world } from '#testing/world.ts'
import * as of from './collections-objects.ts'
import type { Columns, Ids, Row } from './matrix.ts'

const { collections } = await world()

const columns: Columns<of.Museum> = [
  ['a token of the site, of its ADMIN', ({ headers }) => headers.own],
  ['a token of an admin of the collection', ({ keeper }) => keeper.headers],
  ['a token of an editor', ({ editor }) => editor.headers],
  ['a token of a viewer', ({ viewer }) => viewer.headers],
  ['a token of a plain member of the site', ({ headers }) => headers.member],
  ['a token of another site of the tenant', ({ twin }) => twin],
  ['a token of another partner site', ({ headers }) => headers.other],
  ['a token of the console', ({ headers }) => headers.console],
  ['a token of an operator', ({ headers }) => headers.operator],
  ['a token of learning', ({ headers }) => headers.learning],
  ['a token of a stranger', ({ headers }) => headers.stranger],
  ['the site key', ({ headers }) => headers.key],
  ["a token of the site's back end", ({ headers }) => headers.client],
  ['no token', ({ headers }) => headers.nobody],
]

const invited = ({ user_id }: Ids) => ({ user_id, role: 'viewer' })
const EDITOR = { role: 'editor' }
const RENAMED = { name: 'Renamed' }

/** Every object belongs to the tenant of the site. The site's ADMIN has the same memberships as in learning.ts. */
const rows: Row<of.Museum>[] = [
  //                                             adm kee edi vie mem twn oth con opr lrn str key cli non
  [
    'GET    /api/collections?ancestor_id',
    'none 200 200 200 none none none none none none none 401 403 401',
    of.child,
    { shows: 'id' },
  ],
  [
    'POST   /api/collections',
    '201 201 201 403 404 404 404 404 404 404 404 401 403 401',
    of.collection,
    { body: ({ parent_id }) => ({ name: 'Box', parent_id }) },
  ],
  ['GET    /api/collections/:id', '200 200 200 200 404 404 404 404 404 404 404 401 403 401', of.collection],
  [
    'PATCH  /api/collections/:id',
    '200 200 200 403 404 404 404 404 404 404 404 401 403 401',
    of.collection,
    { body: RENAMED },
  ],
  [
    'PUT    /api/collections/:id',
    '200 200 200 403 404 404 404 404 404 404 404 401 403 401',
    of.collection,
    { body: RENAMED },
  ],
  [
    'GET    /api/collections/:id/invitees?name',
    '200 200 403 403 404 404 404 404 404 404 404 401 403 401',
    async (museum) => ({ ...(await of.collection(museum)), name: 'nobody' }),
  ],
  ['GET    /assets/:build/*', '404 404 404 404 404 404 404 404 404 404 404 404 404 404', of.nothing],
  ['DELETE /api/collections/:id', '204 204 403 403 404 404 404 404 404 404 404 401 403 401', of.collection],
  [
    'GET    /api/collections/:id/export',
    '200 200 200 200 404 404 404 404 404 404 404 401 403 401',
    of.collection,
  ],
  [
    'GET    /api/bulk/template?parent_id',
    '200 200 200 200 404 404 404 404 404 404 404 401 403 401',
    of.collection,
  ],

  ['GET    /api/collections/:id/items', '200 200 200 200 404 404 404 404 404 404 404 401 403 401', of.item],
  [
    'POST   /api/collections/:id/items',
    '201 201 201 403 404 404 404 404 404 404 404 401 403 401',
    of.collection,
    { body: { name: 'Vase' } },
  ],
  [
    'POST   /api/collections/:id/items',
    '201 201 201 403 404 404 404 404 404 404 404 401 403 401',
    of.link,
    { body: ({ item_id }) => ({ item_id }) },
  ],
  [
    'POST   /api/collections/:id/items/batch',
    '200 200 200 403 404 404 404 404 404 404 404 401 403 401',
    of.link,
    { body: ({ item_id }) => ({ item_ids: [item_id] }) },
  ],
  [
    'POST   /api/collections/:id/items/batch-write',
    '200 200 200 403 404 404 404 404 404 404 404 401 403 401',
    of.item,
    { body: ({ item_id }) => ({ operations: [{ action: 'update', item_id, ...RENAMED }] }) },
  ],
  [
    'DELETE /api/collections/:id/items/:item_id',
    '200 200 200 403 404 404 404 404 404 404 404 401 403 401',
    of.item,
  ],
  ['GET    /api/items/:item_id', '200 200 200 200 404 404 404 404 404 404 404 401 403 401', of.item],
  [
    'PATCH  /api/items/:item_id',
    '200 200 200 403 404 404 404 404 404 404 404 401 403 401',
    of.item,
    { body: RENAMED },
  ],
  [
    'PUT    /api/items/:item_id',
    '200 200 200 403 404 404 404 404 404 404 404 401 403 401',
    of.item,
    { body: RENAMED },
  ],
  ['GET    /api/items/:item_id/history', '200 200 200 200 404 404 404 404 404 404 404 401 403 401', of.item],
  [
    'POST   /api/items/:item_id/history/:change_id/put-back',
    '200 200 200 403 404 404 404 404 404 404 404 401 403 401',
    of.change,
  ],

  [
    'GET    /api/collections/:id/members',
    '200 200 200 200 404 404 404 404 404 404 404 401 403 401',
    of.reader,
  ],
  [
    'POST   /api/collections/:id/members',
    '201 201 403 403 404 404 404 404 404 404 404 401 403 401',
    of.guest,
    { body: invited },
  ],
  [
    'PATCH  /api/collections/:id/members/:user_id',
    '200 200 403 403 404 404 404 404 404 404 404 401 403 401',
    of.reader,
    { body: EDITOR },
  ],
  [
    'PUT    /api/collections/:id/members/:user_id',
    '200 200 403 403 404 404 404 404 404 404 404 401 403 401',
    of.reader,
    { body: EDITOR },
  ],
  [
    'DELETE /api/collections/:id/members/:user_id',
    '204 204 403 403 404 404 404 404 404 404 404 401 403 401',
    of.reader,
  ],
  ['GET    /api/collections/:id/views', '200 200 200 200 404 404 404 404 404 404 404 401 403 401', of.view],
  [
    'PUT    /api/collections/:id/views',
    '201 201 201 403 404 404 404 404 404 404 404 401 403 401',
    of.collection,
    { body: { name: 'Mine', query: '' } },
  ],
  [
    'DELETE /api/collections/:id/views/:view_id',
    '204 204 204 403 404 404 404 404 404 404 404 401 403 401',
    of.view,
  ],
  // The last admin may not leave; a person who sees the collection without being a member has nothing to leave.
  [
    'POST   /api/collections/:id/leave',
    '404 409 204 204 404 404 404 404 404 404 404 401 403 401',
    of.collection,
  ],

  ['GET    /api/bulk/jobs/:job_id', '200 200 404 404 404 404 404 404 404 404 404 401 403 401', of.job],
  ['GET    /api/bulk/jobs/:job_id/errors', '200 200 404 404 404 404 404 404 404 404 404 401 403 401', of.job],
  [
    'POST   /api/bulk/jobs/:job_id/errors/mended',
    '200 200 404 404 404 404 404 404 404 404 404 401 403 401',
    of.job,
    { body: { rows: [{ sheet: 'Items', row: 2, cells: { A: 'x' } }] } },
  ],
  ['POST   /api/bulk/jobs/:job_id/cancel', '202 202 404 404 404 404 404 404 404 404 404 401 403 401', of.job],
]

export const collectionsMatrix = { app: collections, columns, open: of.openMuseum, rows }
