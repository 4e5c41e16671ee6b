import { lockTrees } from '../tree/locks.ts'
import type { Applying } from './apply.ts'
import { Overtaken } from './imports.ts'

export type Planned<Plan> = {
  plans: ReadonlyMap<number, Plan>
  /** The trees of everything that the plans change. */
  roots: ReadonlySet<string>
  /** A collection is moved or cut off: the right to do so may end with it. */
  reshapes: boolean
}

/**
 * Plans a chunk under the locks of the trees it changes and of the memberships that its rights come from. The trees of the
 * chunk before are locked first, so that nearly every chunk is planned once.
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

/** Holds all memberships of the actor until the end of the transaction. */
export async function holdMemberships({ tx, author }: Pick<Applying, 'tx' | 'author'>) {
  await tx`
    select from collections.members where user_id = ${author.user_id} order by collection_id for share`
}

type Seen = { id: string; version: number }

/** Locks what is to be changed. Throws Overtaken when somebody has changed it since it was read for the plan. */
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
