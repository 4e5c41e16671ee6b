import { newId } from '#foundation/ids.ts'
import { type Actor, findRights, isAtLeast } from '../access.ts'
import { lockCollections } from '../items/links.ts'
import { lockTreesOf } from '../tree/locks.ts'
import { placeCollections } from '../tree/place.ts'
import { type Applying, need } from './apply.ts'
import { holdMemberships } from './locks.ts'
import { type Node, nodesByName, placeName } from './lookup.ts'
import type { RowFault } from './row-error.ts'

/** A path as a map key. Safe because no name contains a line break. */
export const pathText = (path: readonly string[]) => path.join('\n')

type Found = Node | Pick<RowFault, 'code' | 'message'>
const isFound = (found: Found | undefined): found is Node => found !== undefined && 'id' in found

/**
 * The collection at each path, from the top of what the actor sees or from the option `parent_id`. Runs one statement
 * per level, whatever the number of paths.
 */
export async function walkPaths(
  { tx, actor, options }: Applying,
  paths: readonly string[][],
): Promise<Map<string, Found>> {
  const found = new Map<string, Found>()
  if (!actor) return found
  for (let depth = 1; ; depth++) {
    const level = new Map(
      paths
        .filter((path) => path.length >= depth)
        .map((path) => [pathText(path.slice(0, depth)), path.slice(0, depth)]),
    )
    if (level.size === 0) return found
    const wanted = new Map<string, { parent_id: string | null; name: string }>()
    for (const [text, path] of level) {
      const above = depth === 1 ? undefined : found.get(pathText(path.slice(0, -1)))
      const name = path.at(-1) ?? ''
      if (depth === 1) wanted.set(text, { parent_id: options.parent_id, name })
      else if (isFound(above)) wanted.set(text, { parent_id: above.id, name })
      else if (above) found.set(text, above)
    }
    const nodes = await nodesByName(tx, actor, [...wanted.values()])
    for (const [text, place] of wanted) {
      const [node, other] = nodes.get(placeName(place)) ?? []
      if (node) found.set(text, other ? AMBIGUOUS : node)
      else found.set(text, MISSING)
    }
  }
}

const AMBIGUOUS = { code: 'ambiguous_path', message: 'is the path of more than one collection' } as const
const MISSING = { code: 'path_not_found', message: 'is not the path of a collection' } as const

type Missing = ReadonlyMap<string, { parent_id: string | null; name: string }>

/**
 * Creates the missing levels of paths where the actor may, and returns how many. The others stay missing. Checks what
 * is missing and the rights again under the locks.
 */
export async function makeMissing(applying: Applying, paths: readonly string[][]): Promise<number> {
  const { tx, actor, author, options, default_type, holdsMemberships } = applying
  if (!options.create_missing || !actor || paths.length === 0) return 0
  let made = 0
  for (let depth = 1; depth <= 10; depth++) {
    let missing = await missingAt(applying, actor, paths, depth)
    if (missing.size === 0) continue
    const parents = [...new Set([...missing.values()].flatMap(({ parent_id }) => parent_id ?? []))]
    await lockTreesOf(tx, author.tenant_id, parents, 'exclusive')
    await lockCollections(tx, author.tenant_id, parents)
    if (holdsMemberships) await holdMemberships(applying)
    missing = await missingAt(applying, actor, paths, depth)
    const rows = [...missing.values()]
      .filter(({ parent_id }) => parent_id === null || parents.includes(parent_id))
      .map((place) => ({ ...BARE, ...place, type: default_type, id: newId() }))
    for (const { parent_id } of rows) if (parent_id !== null) need(applying, parent_id, 'editor')
    const refused = await placeCollections(tx, author, rows)
    made += rows.length - refused.length
  }
  return made
}

/**
 * The missing levels at a depth below collections the actor may add to. At the top, `parent_id` of the options may be
 * the parent.
 */
async function missingAt(
  applying: Applying,
  actor: Actor,
  paths: readonly string[][],
  depth: number,
): Promise<Missing> {
  const { parent_id } = applying.options
  const found = await walkPaths(applying, paths)
  const [home] = parent_id === null || depth > 1 ? [] : await findRights(applying.tx, actor, [parent_id])
  const missing = new Map<string, { parent_id: string | null; name: string }>()
  for (const path of paths) {
    const text = pathText(path.slice(0, depth))
    if (path.length < depth || found.get(text) !== MISSING) continue
    const parent = depth === 1 ? undefined : found.get(pathText(path.slice(0, depth - 1)))
    const role = depth === 1 ? home?.role : isFound(parent) && parent.role
    const isTop = depth === 1 && parent_id === null
    if (!isTop && !isAtLeast(role || null, 'editor')) continue
    missing.set(text, { parent_id: isFound(parent) ? parent.id : parent_id, name: path[depth - 1] ?? '' })
  }
  return missing
}

const BARE = {
  description: null,
  external_key: null,
  metadata: {},
  inherit_members: true,
}
