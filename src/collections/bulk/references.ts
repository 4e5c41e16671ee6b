import type { Actor } from '../access.ts'
import type { Applying } from './apply.ts'
import { type Node, nodesById, nodesByKey } from './lookup.ts'
import { pathText, walkPaths } from './paths.ts'
import type { Reference } from './staged.ts'
import type { RowFault } from './row-error.ts'

export type ReferenceFault = Pick<RowFault, 'code' | 'message'>
/** `known`: ids that the same row names beside a key. They resolve a key that several collections have. */
export type Resolve = (reference: Reference, known?: ReadonlySet<string>) => Node | ReferenceFault

export const isNode = (found: Node | ReferenceFault): found is Node => 'id' in found

/** The reference as the row wrote it, for its error. */
export function wordsOf(reference: Reference): string {
  if ('key' in reference) return reference.key
  return 'id' in reference ? reference.id : reference.path.join(' > ')
}

/** Resolves what rows refer to: a row of the same file, else a visible collection by id, key or path. */
export async function resolveReferences(
  applying: Applying,
  actor: Actor,
  references: readonly Reference[],
): Promise<Resolve> {
  const { tx, options, landed } = applying
  const keys = [...new Set(references.flatMap((one) => ('key' in one && !('row' in one) ? one.key : [])))]
  const paths = references.flatMap((one) => ('path' in one ? [one.path] : []))
  const made = references.flatMap((one) => ('row' in one ? (landed.collectionOf(one.row) ?? []) : []))
  const ids = references.flatMap((one) => ('id' in one ? one.id : []))
  const nodes = await nodesById(tx, actor, [
    ...ids,
    ...made,
    ...(options.parent_id === null ? [] : [options.parent_id]),
  ])
  const home = options.parent_id === null ? undefined : nodes.get(options.parent_id)
  const byKey =
    options.parent_id !== null && !home
      ? new Map<string, Node[]>()
      : await nodesByKey(tx, actor, keys, home?.root_id ?? null)
  const byPath = paths.length === 0 ? undefined : await walkPaths(applying, paths)
  return (reference, known) => {
    if ('path' in reference) return byPath?.get(pathText(reference.path)) ?? NOT_FOUND
    if ('row' in reference) {
      const id = landed.collectionOf(reference.row)
      if (id === undefined) return FAILED
      const node = nodes.get(id)
      return node && node.role !== null ? node : LOST
    }
    if ('id' in reference) {
      const node = nodes.get(reference.id)
      return node && node.role !== null ? node : NOT_FOUND
    }
    const all = byKey.get(reference.key) ?? []
    const [node, other] = all
    if (!node) return NOT_FOUND
    return other ? (all.find(({ id }) => known?.has(id)) ?? AMBIGUOUS) : node
  }
}

const NOT_FOUND: ReferenceFault = { code: 'not_found', message: 'names no collection that you can see' }
const AMBIGUOUS: ReferenceFault = { code: 'ambiguous_key', message: 'is the key of more than one collection' }
const FAILED: ReferenceFault = {
  code: 'collection_failed',
  message: 'names a row of this file that was refused',
}
const LOST: ReferenceFault = { code: 'forbidden', message: 'names a collection that you may not change' }
