import { existsSync, readFileSync, writeFileSync, mkdirSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { dirname } from 'node:path'

/** `slow` is what kills, fails over, measures time or needs other programs (test/slow, and every `-timing` file). */
export type Tier = 'quick' | 'slow'
/** Files of one kind share what is costly in a process: a started program and Chromium, or the three apps. */
export type Kind = 'pages' | 'slices' | 'alone' | 'timing'
export type TestFile = { file: string; kind: Kind }

const isTiming = (file: string) => file.endsWith('-timing.test.ts')
const isSlow = (file: string) => file.startsWith('test/slow/') || isTiming(file)
/** These run first, because they take longest and must not be what a run waits for at its end. */
const WITH_PROGRAM = /^test\/(browser|journeys|security)\//
const kindOf = (file: string): Kind =>
  isTiming(file) ? 'timing' : isSlow(file) ? 'alone' : WITH_PROGRAM.test(file) ? 'pages' : 'slices'

/** The test files of a tier, or those below the given paths, whatever their tier. */
export async function findTests(tier: Tier, paths: readonly string[]): Promise<TestFile[]> {
  const files = (await Array.fromAsync(glob('{src,test}/**/*.test.ts'))).toSorted()
  const isWanted = (file: string) =>
    paths.length > 0 ? paths.some((path) => file.startsWith(path)) : isSlow(file) === (tier === 'slow')
  return files.filter(isWanted).map((file) => ({ file, kind: kindOf(file) }))
}

const RECORD = 'node_modules/.cache/test-seconds.json'
type Seconds = Record<string, number>

const recorded = (): Seconds =>
  existsSync(RECORD) ? (JSON.parse(readFileSync(RECORD, 'utf8')) as Seconds) : {}

export function recordSeconds(seconds: Seconds): void {
  mkdirSync(dirname(RECORD), { recursive: true })
  writeFileSync(RECORD, JSON.stringify({ ...recorded(), ...seconds }, null, 1))
}

/** In the order in which they should start: by kind, the longest first, or shuffled within a kind by `seed`. */
export function inOrder(files: readonly TestFile[], seed: number | undefined): TestFile[] {
  const kinds: Kind[] = ['pages', 'slices', 'alone', 'timing']
  const seconds = recorded()
  const random = randomOf(seed ?? 0)
  const rank = new Map(
    files.map(({ file }) => [file, seed === undefined ? -(seconds[file] ?? 60) : random()]),
  )
  return kinds.flatMap((kind) =>
    files
      .filter((one) => one.kind === kind)
      .toSorted((a, b) => (rank.get(a.file) ?? 0) - (rank.get(b.file) ?? 0)),
  )
}

/** mulberry32: the same numbers in [0, 1) for the same seed, on every machine. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
