/** The fields of `yours` that differ from `was`: a page sends only these, so that nobody's change is undone unseen. */
export function changesOf<Thing extends object>(was: Thing, yours: Partial<Thing>): Partial<Thing> {
  const changed = Object.entries(yours).filter(([name, value]) => isOther(was[name as keyof Thing], value))
  return Object.fromEntries(changed) as Partial<Thing>
}

/** Lists are compared by what they hold. */
export const isOther = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) !== JSON.stringify(other)
