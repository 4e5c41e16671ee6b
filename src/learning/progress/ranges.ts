/** A part of a video in whole milliseconds; the end is exclusive. */
export type Range = readonly [from: number, to: number]
/** Sorted, disjoint and not adjacent, none empty: the canonical form, like that of an int4multirange. */
export type Ranges = readonly Range[]

/** The union of any ranges, in any order and overlapping. */
export function union(...sets: (readonly Range[])[]): Ranges {
  const sorted = sets
    .flat()
    .filter(([from, to]) => from < to)
    .toSorted((a, b) => a[0] - b[0])
  return closeGaps(sorted, 0)
}

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

export function subtract(a: Ranges, b: Ranges): Ranges {
  const starts = [0, ...b.map(([, to]) => to)]
  const ends = [...b.map(([from]) => from), Infinity]
  return intersect(
    a,
    starts.map((from, place) => [from, ends[place] ?? Infinity] as const),
  )
}

/** Clips each range to 0..`end`. */
export const clip = (ranges: readonly Range[], end: number): Range[] =>
  ranges.map(([from, to]) => [Math.max(0, Math.min(from, end)), Math.max(0, Math.min(to, end))] as const)

/** The total length in milliseconds. */
export const lengthOf = (ranges: Ranges) => ranges.reduce((sum, [from, to]) => sum + to - from, 0)

/** Keeps the last `length` milliseconds of the ranges and drops what comes earlier. */
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

/** Merges neighbours that are at most `gap` apart. `ranges` are sorted by their start. */
export function closeGaps(ranges: readonly Range[], gap: number): Ranges {
  const closed: [number, number][] = []
  for (const [from, to] of ranges) {
    const last = closed.at(-1)
    if (last && from <= last[1] + gap) last[1] = Math.max(last[1], to)
    else closed.push([from, to])
  }
  return closed
}

/** Formats an int4multirange, such as `{[0,10000),[15000,20000)}`. */
export const toText = (ranges: Ranges) => `{${ranges.map(([from, to]) => `[${from},${to})`).join(',')}}`

export const fromText = (text: string): Ranges =>
  Array.from(text.matchAll(/\[(\d+),(\d+)\)/g), ([, from, to]) => [Number(from), Number(to)] as const)
