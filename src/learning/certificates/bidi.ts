import bidiFactory, { type Bidi } from 'bidi-js'

/** Its types describe another form of the module than the one that Node loads. */
const bidi = (bidiFactory as unknown as () => Bidi)()

type Run = { text: string; level: number }

/** Scripts whose letters the font engine itself sets from right to left. */
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

export const directionOf = (text: string): 'ltr' | 'rtl' =>
  (bidi.getEmbeddingLevels(text).paragraphs[0]?.level ?? 0) % 2 === 0 ? 'ltr' : 'rtl'

/**
 * A line as pieces from left to right (Unicode Bidirectional Algorithm, rule L2), each to be set by a font engine that
 * turns letters of right-to-left scripts itself.
 */
export function piecesOf(line: string, direction: 'ltr' | 'rtl'): string[] {
  const { levels } = bidi.getEmbeddingLevels(line, direction)
  const mirrored = bidi.getMirroredCharactersMap(line, levels)
  const runs: Run[] = []
  for (let i = 0; i < line.length; i++) {
    const [level, text] = [levels[i] ?? 0, mirrored.get(i) ?? line.charAt(i)]
    const last = runs.at(-1)
    if (last && last.level === level) last.text += text
    else runs.push({ text, level })
  }
  return inOrder(runs).map(({ text, level }) =>
    level % 2 === 0 || RIGHT_TO_LEFT.test(text) ? text : Array.from(text).toReversed().join(''),
  )
}

function inOrder(runs: Run[]): Run[] {
  let ordered = runs
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level--) {
    const next: Run[] = []
    let turned: Run[] = []
    for (const run of ordered) {
      if (run.level >= level) turned.unshift(run)
      else {
        next.push(...turned, run)
        turned = []
      }
    }
    ordered = [...next, ...turned]
  }
  return ordered
}
