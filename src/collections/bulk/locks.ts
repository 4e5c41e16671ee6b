import { lockTrees } from '../tree/locks.ts'
import type { Applying } from './apply.ts'
import { Overtaken } from './imports.ts'

export type Planned<Plan> = {
  plans: ReadonlyMap<number, Plan>
  /** The trees of everything the plans change. */
  roots: ReadonlySet<string>
  /** Whether a collection moves or stops inheriting. Either may end the actor's own right to do so. */
  reshapes: boolean
}

/**
 * Plans a chunk while holding locks on the trees it changes and on the memberships its rights depend on. It locks the
 * previous chunk's trees first, so nearly every chunk is planned only once.
 */
export async function planUnderLocks<Plan>(
  applying: Applying,
  plan: () => Promise<Planned<Plan>>,
): Promise<ReadonlyMap<number, Plan>> {
  const { tx } = applying
  const locked = new Set<string>()
  const lock = async (roots: ReadonlySet<string>) => {
    await lockTrees(tx, [...roots.difference(locked)], 'exclusive')
    for (const root_id of roots) locked.add(root_id)
  }
  await lock(applying.roots)
  let isHeld = applying.holdsMemberships
  if (isHeld) await holdMemberships(applying)
  for (;;) {
    const { plans, roots, reshapes } = await plan()
    applying.roots = roots
    if (roots.isSubsetOf(locked) && (isHeld || !reshapes)) return plans
    await lock(roots)
    if (reshapes && !isHeld) await holdMemberships(applying)
    isHeld ||= reshapes
  }
}

/** Locks all memberships of the actor until the transaction ends. */
export async function holdMemberships({ tx, author }: Pick<Applying, 'tx' | 'author'>) {
  await tx`
    select from collections.members
     where tenant_id = ${author.tenant_id} and user_id = ${author.user_id} order by collection_id for share`
}

type Seen = { id: string; version: number }

/** Locks the rows to change. Throws Overtaken if one has changed since the plan read it. */
export async function lockUnchanged(
  { tx, author }: Applying,
  table: 'collections' | 'items',
  seen: readonly Seen[],
): Promise<void> {
  if (seen.length === 0) return
  const rows = await tx<Seen[]>`
    select id, version from ${tx(`collections.${table}`)}
     where id = any(${seen.map(({ id }) => id)}::uuid[]) and tenant_id = ${author.tenant_id}
     order by id for no key update`
  const versions = new Map(rows.map(({ id, version }) => [id, version]))
  if (seen.some(({ id, version }) => versions.get(id) !== version)) throw new Overtaken()
}
