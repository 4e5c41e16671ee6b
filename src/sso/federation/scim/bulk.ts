import { type Static, Type } from 'typebox'
import { ApiError, notFound } from '#foundation/errors.ts'
import { isUuid } from '#foundation/ids.ts'
import type { SsoParts } from '../../core/parts.ts'
import { MAX_OPERATIONS } from './discovery.ts'
import { errorBody, refused, ScimError } from './errors.ts'
import { groupTag } from './group-rows.ts'
import { createGroup, deleteGroup, patchGroup, replaceGroup } from './groups.ts'
import type { ByDirectory } from './hold.ts'
import { PatchBody } from './patch.ts'
import { requireUrn } from './replies.ts'
import { type ResourceType, TYPES } from './schema.ts'
import { userTag } from './user-rows.ts'
import { createUser, deleteUser, patchUser, replaceUser } from './users.ts'
import { isObject, type Resource } from './values.ts'

/** Several operations in one request (RFC 7644, section 3.7). Each is a transaction of its own. */

const REQUEST_URN = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest'
const RESPONSE_URN = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse'

export type BulkBody = Static<typeof BulkBody>
export const BulkBody = Type.Object({
  schemas: Type.Array(Type.String()),
  failOnErrors: Type.Optional(Type.Integer({ minimum: 1 })),
  Operations: Type.Array(
    Type.Object({
      method: Type.String(),
      path: Type.String({ maxLength: 200 }),
      bulkId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      version: Type.Optional(Type.String({ maxLength: 100 })),
      data: Type.Optional(Type.Unknown()),
    }),
    { minItems: 1 },
  ),
})
type Operation = BulkBody['Operations'][number]

const Result = Type.Object({
  method: Type.String(),
  bulkId: Type.Optional(Type.String()),
  location: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  status: Type.String(),
  response: Type.Optional(ScimError),
})
export const BulkReply = Type.Object({ schemas: Type.Array(Type.String()), Operations: Type.Array(Result) })

/** What an operation left behind. */
type Done = { status: number; id: string; version?: string }

/** Runs them in order, until `failOnErrors` of them have failed. 413 for more than a request may have. */
export async function runBulk(parts: SsoParts, by: ByDirectory, body: BulkBody, base: string) {
  const { schemas, failOnErrors = Infinity, Operations } = body
  requireUrn(REQUEST_URN, schemas)
  if (Operations.length > MAX_OPERATIONS)
    throw new ApiError(413, 'too_many_operations', `A request has at most ${MAX_OPERATIONS} operations`)
  const made = new Map<string, string>()
  const results: Static<typeof Result>[] = []
  let failures = 0
  for (const operation of Operations) {
    const { method, bulkId } = operation
    const named = { method, ...(bulkId !== undefined && { bulkId }) }
    try {
      const { type, id } = placeOf(operation, made)
      const done = await run(parts, by, { type, id, operation, made })
      if (bulkId !== undefined && id === undefined) made.set(bulkId, done.id)
      const { version, status } = done
      const location = `${base}/${type.endpoint}/${done.id}`
      results.push({ ...named, location, ...(version && { version }), status: String(status) })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const response = errorBody(error)
      results.push({ ...named, status: response.status, response })
      if (++failures >= failOnErrors) break
    }
  }
  return { schemas: [RESPONSE_URN], Operations: results }
}

type Place = { type: ResourceType; id: string | undefined }

/** `/Users`, `/Users/{id}` or `/Users/bulkId:{id}`. */
function placeOf({ path }: Operation, made: ReadonlyMap<string, string>): Place {
  const [, endpoint, id, ...rest] = path.split('/', 4)
  const type = Object.values(TYPES).find((one) => one.endpoint === endpoint)
  if (!type || rest.length > 0)
    throw refused('invalid_path', 'path: must be /Users or /Groups, with an id or without')
  return { type, id: id === undefined ? undefined : resolved(id, made) }
}

type Task = Place & { operation: Operation; made: ReadonlyMap<string, string> }

async function run(parts: SsoParts, by: ByDirectory, { type, id, operation, made }: Task): Promise<Done> {
  const isUser = type.name === 'User'
  const method = operation.method.toUpperCase()
  const data = () => dataOf(operation, made)
  const resource = () => resourceOf(type, data())
  if (method === 'POST') {
    if (id !== undefined) throw refused('invalid_path', 'path: a POST makes a resource, so it has no id')
    return isUser
      ? userDone(201, await createUser(parts, by, resource()))
      : groupDone(201, await createGroup(parts, by, resource()))
  }
  if (id === undefined) throw refused('invalid_path', `path: a ${method} needs an id`)
  if (!isUuid(id)) throw notFound()
  const if_match = operation.version
  const [user, group] = [
    { user_id: id, if_match },
    { group_id: id, if_match },
  ]
  switch (method) {
    case 'PUT':
      return isUser
        ? userDone(200, await replaceUser(parts, by, user, resource()))
        : groupDone(200, await replaceGroup(parts, by, group, resource()))
    case 'PATCH': {
      const patch = await patchOf(data())
      return isUser
        ? userDone(200, await patchUser(parts, by, user, patch))
        : groupDone(200, await patchGroup(parts, by, group, patch))
    }
    case 'DELETE':
      await (isUser ? deleteUser(parts, by, user) : deleteGroup(parts, by, group))
      return { status: 204, id }
    default:
      throw refused('invalid_syntax', 'method: must be POST, PUT, PATCH or DELETE')
  }
}

const userDone = (status: number, row: Parameters<typeof userTag>[0] & { user_id: string }): Done => ({
  status,
  id: row.user_id,
  version: userTag(row),
})
const groupDone = (status: number, row: Parameters<typeof groupTag>[0] & { group_id: string }): Done => ({
  status,
  id: row.group_id,
  version: groupTag(row),
})

function resourceOf({ urn }: ResourceType, data: Resource): Resource {
  requireUrn(urn, data['schemas'])
  return data
}

/** Imported by the first bulk request, as route-rules.ts does. */
async function patchOf(data: Resource): Promise<PatchBody> {
  const { Check } = await import('typebox/value')
  if (!Check(PatchBody, data)) throw refused('invalid_syntax', 'data: must be a PatchOp with operations')
  return data
}

function dataOf({ data }: Operation, made: ReadonlyMap<string, string>): Resource {
  if (!isObject(data)) throw refused('invalid_syntax', 'data: is required')
  return withIds(data, made) as Resource
}

/** Puts the ids of what was made before in the places that name it by bulkId. The parser has bounded the depth. */
function withIds(value: unknown, made: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return resolved(value, made)
  if (Array.isArray(value)) return value.map((one) => withIds(one, made))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withIds(one, made)]))
}

function resolved(text: string, made: ReadonlyMap<string, string>): string {
  if (!text.startsWith('bulkId:')) return text
  const id = made.get(text.slice('bulkId:'.length))
  if (id === undefined)
    throw refused('invalid_value', `${text.slice(0, 100)}: names no operation before this one`)
  return id
}
