/** A line of captions; times in seconds. */
export type Cue = { from: number; to: number; text: string }

const TIMES =
  /^((?:\d{1,4}:)?\d{1,2}:\d{1,2}[.,]\d{1,3})[ \t]{1,9}-->[ \t]{1,9}((?:\d{1,4}:)?\d{1,2}:\d{1,2}[.,]\d{1,3})/
/** Longer files are no captions of one video. */
const MAX_CUES = 10_000

/** The cues of a WebVTT or SubRip file in order of time; what is no cue is left out. Markup becomes plain text. */
export function cuesOf(file: string): Cue[] {
  const cues: Cue[] = []
  for (const block of file.replaceAll(/\r\n?/g, '\n').split(/\n{2,}/)) {
    const lines = block.split('\n')
    const at = lines.findIndex((line) => TIMES.test(line))
    const [, from, to] = TIMES.exec(lines[at] ?? '') ?? []
    if (from === undefined || to === undefined) continue
    const text = plain(lines.slice(at + 1).join(' '))
    if (text) cues.push({ from: secondsOf(from), to: secondsOf(to), text })
    if (cues.length === MAX_CUES) break
  }
  return cues.toSorted((a, b) => a.from - b.from)
}

/** The place of the last cue that has begun, or -1. */
export function cueAt(cues: readonly Cue[], seconds: number): number {
  let [low, high] = [0, cues.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cues[middle]?.from ?? 0) <= seconds) low = middle + 1
    else high = middle
  }
  return low - 1
}

const secondsOf = (time: string): number =>
  time
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0)

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '\u200e', rlm: '\u200f' }

const plain = (text: string): string =>
  text
    .replaceAll(/<[^<>]{0,200}>/g, '')
    .replaceAll(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => NAMED[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
