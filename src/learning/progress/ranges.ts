/** A stretch of video in whole milliseconds, half open: the end is not part of it. */
export type Range = readonly [from: number, to: number]
/** Sorted, apart from each other, none empty: the canonical form, which is also that of an int4multirange. */
export type Ranges = readonly Range[]

/** What is in any of them, whatever their order and however they overlap. */
export function union(...sets: (readonly Range[])[]): Ranges {
  const sorted = sets
    .flat()
    .filter(([from, to]) => from < to)
    .toSorted((a, b) => a[0] - b[0])
  return closeGaps(sorted, 0)
}

/** What is in both. */
export function intersect(a: Ranges, b: Ranges): Ranges {
  const both: Range[] = []
  for (let i = 0, j = 0; ;) {
    const [mine, other] = [a[i], b[j]]
    if (!mine || !other) return both
    const [from, to] = [Math.max(mine[0], other[0]), Math.min(mine[1], other[1])]
    if (from < to) both.push([from, to])
    if (mine[1] < other[1]) i++
    else j++
  }
}

/** What is in `a` but not in `b`. */
export function subtract(a: Ranges, b: Ranges): Ranges {
  const starts = [0, ...b.map(([, to]) => to)]
  const ends = [...b.map(([from]) => from), Infinity]
  return intersect(
    a,
    starts.map((from, place) => [from, ends[place] ?? Infinity] as const),
  )
}

/** The part of each between 0 and `end`. */
export const clip = (ranges: readonly Range[], end: number): Range[] =>
  ranges.map(([from, to]) => [Math.max(0, Math.min(from, end)), Math.max(0, Math.min(to, end))] as const)

/** Milliseconds in all. */
export const lengthOf = (ranges: Ranges) => ranges.reduce((sum, [from, to]) => sum + to - from, 0)

/** The last `length` milliseconds of them; what comes earlier is dropped. */
export function keepLast(ranges: Ranges, length: number): Ranges {
  let left = length
  const kept: Range[] = []
  for (const [from, to] of ranges.toReversed()) {
    if (left <= 0) break
    kept.unshift([Math.max(from, to - left), to])
    left -= to - from
  }
  return kept
}

/** Neighbours that are at most `gap` apart become one. `ranges` are sorted by their beginning. */
export function closeGaps(ranges: readonly Range[], gap: number): Ranges {
  const closed: [number, number][] = []
  for (const [from, to] of ranges) {
    const last = closed.at(-1)
    if (last && from <= last[1] + gap) last[1] = Math.max(last[1], to)
    else closed.push([from, to])
  }
  return closed
}

/** The text of an int4multirange, such as `{[0,10000),[15000,20000)}`. */
export const toText = (ranges: Ranges) => `{${ranges.map(([from, to]) => `[${from},${to})`).join(',')}}`

export const fromText = (text: string): Ranges =>
  Array.from(text.matchAll(/\[(\d+),(\d+)\)/g), ([, from, to]) => [Number(from), Number(to)] as const)
