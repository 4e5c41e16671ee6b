import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, test } from 'node:test'
import { applyBeat, type Asset, UNWATCHED } from './beat.ts'
import {
  closeGaps,
  fromText,
  intersect,
  keepLast,
  lengthOf,
  type Range,
  type Ranges,
  subtract,
  toText,
  union,
} from './ranges.ts'

const END = 60
const some = (): Range[] =>
  Array.from({ length: randomInt(0, 12) }, () => {
    const from = randomInt(0, END)
    return [from, randomInt(from, END + 1)] as const
  })
const shuffled = <T>(list: readonly T[]) =>
  list
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
/** The set of single seconds, which the range arithmetic must agree with. */
const moments = (ranges: readonly Range[]) =>
  new Set(ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, step) => from + step)))
const isCanonical = (ranges: Ranges) =>
  ranges.every(([from, to], place) => from < to && (ranges[place - 1]?.[1] ?? -1) < from)

describe('ranges', () => {
  test('equal sets of single moments in canonical form', () => {
    for (let round = 0; round < 1_000; round++) {
      const [a, b] = [union(some()), union(some())]
      for (const [ranges, expected] of [
        [union(a, b), moments(a).union(moments(b))],
        [intersect(a, b), moments(a).intersection(moments(b))],
        [subtract(a, b), moments(a).difference(moments(b))],
      ] as const) {
        assert.ok(isCanonical(ranges), toText(ranges))
        assert.deepEqual(moments(ranges), expected)
        assert.equal(lengthOf(ranges), expected.size)
      }
    }
  })

  test('read the int4multirange text they wrote', () => {
    for (const ranges of [
      [],
      [[0, 10]],
      [
        [0, 10],
        [86_399_999, 86_400_000],
      ],
    ] as Ranges[])
      assert.deepEqual(fromText(toText(ranges)), ranges)
    assert.equal(
      toText([
        [0, 10],
        [20, 30],
      ]),
      '{[0,10),[20,30)}',
    )
  })

  test('keep the last milliseconds and close small gaps', () => {
    assert.deepEqual(
      keepLast(
        [
          [0, 10],
          [20, 30],
        ],
        15,
      ),
      [
        [5, 10],
        [20, 30],
      ],
    )
    assert.deepEqual(keepLast([[0, 10]], 0), [])
    assert.deepEqual(keepLast([[0, 10]], -5), [])
    assert.deepEqual(
      closeGaps(
        [
          [0, 10],
          [11, 20],
          [30, 40],
        ],
        1,
      ),
      [
        [0, 20],
        [30, 40],
      ],
    )
  })
})

const ASSET: Asset = { duration: 60_000, is_trackable: true, is_strict: false, threshold: 900 }
const beatOf = (segments: readonly Range[] | undefined, position?: number) => ({
  position,
  segments,
  duration: undefined,
  is_completed: false,
})

describe('the union of beats', () => {
  test('ignores the order, splitting and repetition of segments', () => {
    for (let round = 0; round < 300; round++) {
      const segments = some().map(([from, to]) => [from * 1_000, to * 1_000] as const)
      const split = segments.flatMap(([from, to]): Range[] => {
        const middle = randomInt(from, to + 1)
        return [
          [from, middle],
          [middle, to],
        ]
      })
      const beats = shuffled([...split, ...segments, ...split.slice(0, 3)]).map((segment) => [segment])
      const at_once = applyBeat(UNWATCHED, beatOf(segments), ASSET)
      const bit_by_bit = beats.reduce((state, beat) => applyBeat(state, beatOf(beat), ASSET), UNWATCHED)
      assert.deepEqual(bit_by_bit.watched, at_once.watched)
      assert.equal(bit_by_bit.progress, at_once.progress)
      assert.equal(bit_by_bit.is_completed, lengthOf(at_once.watched) >= 54_000)
    }
  })

  test('never lowers progress or completion when the asset changes', () => {
    const done = applyBeat(UNWATCHED, beatOf([[0, 54_000]]), ASSET)
    assert.deepEqual([done.progress, done.is_completed], [900, true])
    for (const asset of [
      { ...ASSET, duration: 600_000 },
      { ...ASSET, duration: null },
      { ...ASSET, threshold: 1_000 },
      { ...ASSET, is_trackable: false },
    ]) {
      const after = applyBeat(done, beatOf([[0, 1_000]]), asset)
      assert.ok(after.progress >= 900 && after.is_completed)
    }
  })

  test('completes exactly at the threshold', () => {
    const asset = { ...ASSET, duration: 33_333, threshold: 333 }
    const watched = (ms: number) => applyBeat(UNWATCHED, beatOf([[0, ms]]), asset).is_completed
    assert.deepEqual([watched(11_099), watched(11_100)], [false, true])
  })

  test('keeps a thousand ranges by closing gaps of a second', () => {
    const asset = { ...ASSET, duration: 86_400_000 }
    const every = (count: number, gap: number) =>
      Array.from({ length: count }, (_, n) => [n * (gap + 10), n * (gap + 10) + 10] as const)
    const full = applyBeat(UNWATCHED, beatOf(every(1_000, 2_000)), asset)
    assert.equal(full.watched.length, 1_000)
    const more = applyBeat(full, beatOf([[80_000_000, 80_000_010]]), asset)
    assert.deepEqual(more.watched, full.watched)
    const close = applyBeat(UNWATCHED, beatOf(every(1_001, 1_000)), asset)
    assert.equal(close.watched.length, 1)
  })

  test('infers playing between two positions, but no seek', () => {
    const at = (position: number, since_last: number, next: number) =>
      lengthOf(applyBeat({ ...UNWATCHED, position, since_last }, beatOf(undefined, next), ASSET).watched)
    assert.equal(at(10_000, 4_000, 20_000), 10_000)
    assert.equal(at(10_000, 3_999, 20_000), 0)
    assert.equal(at(20_000, 4_000, 10_000), 0)
    const told = applyBeat({ ...UNWATCHED, position: 0, since_last: 9_000 }, beatOf([], 9_000), ASSET)
    assert.equal(lengthOf(told.watched), 0)
  })

  test('credits under strict_watch the latest that could be played', () => {
    const strict = { ...ASSET, is_strict: true }
    const first = applyBeat(UNWATCHED, beatOf([[0, 60_000]]), strict)
    assert.deepEqual(first.watched, [[30_000, 60_000]])
    const soon = applyBeat({ ...first, since_first: 4_000 }, beatOf([[0, 60_000]]), strict)
    assert.deepEqual(soon.watched, [[20_000, 60_000]])
    const late = applyBeat({ ...first, since_first: 12_000 }, beatOf([[0, 60_000]]), strict)
    assert.deepEqual([late.watched, late.is_completed], [[[0, 60_000]], true])
  })

  test('counts a rewatch only if long, watched before and unrepeated', () => {
    const seen = applyBeat(UNWATCHED, beatOf([[0, 30_000]], 30_000), ASSET)
    const again = (segments: Range[]) => applyBeat(seen, beatOf(segments, 30_000), ASSET).rewatched
    assert.deepEqual(again([[0, 30_000]]), [])
    assert.deepEqual(again([[10_000, 20_000]]), [[10_000, 20_000]])
    assert.deepEqual(again([[10_000, 14_999]]), [])
    assert.deepEqual(again([[25_001, 40_000]]), [])
    assert.deepEqual(again([[25_000, 40_000]]), [[25_000, 30_000]])
  })
})
