import { type Static, Type } from 'typebox'
import { isDeepStrictEqual } from 'node:util'
import { refused } from './errors.ts'
import type { Filter } from './filter.ts'
import { matches } from './match.ts'
import { parsePath, type Target } from './path.ts'
import { requireUrn } from './replies.ts'
import type { Attribute, ResourceType } from './schema.ts'
import { isObject, refuseMany, type Resource, set, singleIn, valueIn } from './values.ts'

const PATCH_URN = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const MAX_OPERATIONS = 200

/** Names in this spelling only: every client sends them so, while attribute names come in any case. */
export const PatchBody = Type.Object({
  schemas: Type.Array(Type.String()),
  Operations: Type.Array(
    Type.Object({
      op: Type.String(),
      path: Type.Optional(Type.String()),
      value: Type.Optional(Type.Unknown()),
    }),
    { minItems: 1, maxItems: MAX_OPERATIONS },
  ),
})
export type PatchBody = Static<typeof PatchBody>

/** One change at one place. A value without path is one change for each of its members. */
export type Step = { op: 'add' | 'replace' | 'remove'; target: Target; value: unknown }

/** The steps of a PATCH (RFC 7644, section 3.5.2). Entra ID capitalises `op`. 400 invalidSyntax, invalidPath, noTarget. */
export function stepsOf(type: ResourceType, { schemas, Operations }: PatchBody): Step[] {
  requireUrn(PATCH_URN, schemas)
  return Operations.flatMap(({ op: given, path, value }) => {
    const op = (['add', 'replace', 'remove'] as const).find((one) => one === given.toLowerCase())
    if (!op) throw refused('invalid_syntax', 'op: must be add, replace or remove')
    if (path !== undefined) return stepAt(type, op, path, value)
    if (op === 'remove') throw refused('no_target', 'A removal needs a path')
    if (!isObject(value)) throw refused('invalid_value', 'value: must be an object where there is no path')
    return Object.entries(value).flatMap(([name, one]) => {
      const steps = stepAt(type, op, name, one)
      // Okta sends the id along when it renames a group.
      return steps.filter(({ target }) => target.attribute.mutability !== 'readOnly')
    })
  }).map(refuseReadOnly)
}

function stepAt(type: ResourceType, op: Step['op'], path: string, value: unknown): Step[] {
  const target = parsePath(type, path)
  return target ? [{ op, target, value }] : []
}

function refuseReadOnly(step: Step): Step {
  const { attribute, sub } = step.target
  if (attribute.mutability === 'readOnly' || sub?.mutability === 'readOnly')
    throw refused('mutability', `${attribute.name}: cannot be changed`)
  return step
}

/** The resource after the steps; the one that is given stays as it is. */
export function applySteps(before: Resource, steps: readonly Step[]): Resource {
  const resource = structuredClone(before)
  for (const step of steps) apply(resource, step)
  return resource
}

function apply(resource: Resource, step: Step): void {
  const { attribute, sub } = step.target
  if (attribute.multiValued) return applyToSeveral(resource, step)
  if (sub) {
    const inner = { ...(resource[attribute.name] as Resource | undefined) }
    set(inner, sub, step.op === 'remove' ? undefined : singleIn(sub, step.value ?? null))
    return set(resource, attribute, orNothing(inner))
  }
  const value = step.op === 'remove' ? undefined : valueIn(attribute, step.value)
  // Of a complex attribute only the parts that are named change.
  const merged = isObject(value) ? { ...(resource[attribute.name] as Resource | undefined), ...value } : value
  set(resource, attribute, merged)
}

function applyToSeveral(resource: Resource, step: Step): void {
  const { attribute, filter, sub } = step.target
  const before = (resource[attribute.name] as Resource[] | undefined) ?? []
  const after =
    filter || sub
      ? inPlace(before, step)
      : step.op === 'remove'
        ? without(before, step)
        : within(before, step)
  refuseMany(attribute, after)
  set(resource, attribute, after.length === 0 ? undefined : after)
}

/** Adds elements that are not there, or replaces all. */
function within(before: Resource[], { op, target: { attribute }, value }: Step): Resource[] {
  const given = (valueIn(attribute, value) ?? []) as Resource[]
  if (op === 'replace') return given
  const added = given.filter((one) => !before.some((known) => isDeepStrictEqual(known, one)))
  return withOnePrimary([...before, ...added], added)
}

/** All elements, or those in `value`, as Entra ID removes them. */
function without(before: Resource[], { target: { attribute }, value }: Step): Resource[] {
  if (value === undefined || value === null) return []
  const given = (valueIn(attribute, value) ?? []) as Resource[]
  return before.filter((known) => !given.some((one) => one['value'] === known['value']))
}

/**
 * Changes the elements that pass the filter. Where none does, one is made that would: Entra ID sets the address of
 * kind "work" in this way, whether there is one or not.
 */
function inPlace(before: Resource[], { op, target, value }: Step): Resource[] {
  const { attribute, filter, sub } = target
  const isHit = (one: Resource) => filter === undefined || matches(filter, one)
  if (op === 'remove') {
    if (!sub) return before.filter((one) => !isHit(one))
    return before.flatMap((one): Resource[] => {
      if (!isHit(one)) return [one]
      const rest = orNothing({ ...one, [sub.name]: undefined })
      return rest ? [rest] : []
    })
  }
  const change = partOf(attribute, sub, value)
  const hits = before.filter(isHit)
  if (hits.length > 0) {
    const changed = hits.map((one) => ({ ...one, ...change }))
    return withOnePrimary(
      before.map((one) => changed[hits.indexOf(one)] ?? one),
      changed,
    )
  }
  const wanted = filter === undefined ? {} : impliedBy(filter)
  if (!wanted) throw refused('no_target', `${attribute.name}: nothing passes the filter of the path`)
  const made = { ...wanted, ...change }
  return withOnePrimary([...before, made], [made])
}

function partOf(attribute: Attribute, sub: Attribute | undefined, value: unknown): Resource {
  if (sub) return { [sub.name]: singleIn(sub, value ?? null) }
  const part = singleIn(attribute, [value].flat()[0] ?? null)
  if (!isObject(part)) throw refused('invalid_value', `${attribute.name}: must have a value`)
  return part
}

/** The element that a filter of equalities describes. */
function impliedBy(filter: Filter): Resource | undefined {
  if (filter.kind === 'compare' && filter.operator === 'eq')
    return { [filter.path.attribute.name]: singleIn(filter.path.attribute, filter.value) }
  if (filter.kind !== 'and') return undefined
  const parts = filter.parts.map(impliedBy)
  return parts.includes(undefined) ? undefined : (Object.assign({}, ...parts) as Resource)
}

/** A new first choice takes the place of the one before it (RFC 7644, section 3.5.2). */
function withOnePrimary(all: Resource[], changed: readonly Resource[]): Resource[] {
  const first = changed.find(({ primary }) => primary === true)
  return first
    ? all.map((one) => (one === first || one['primary'] !== true ? one : { ...one, primary: false }))
    : all
}

function orNothing(value: Resource): Resource | undefined {
  const kept = Object.entries(value).filter(([, one]) => one !== undefined)
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
