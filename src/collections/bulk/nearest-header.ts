/** Blanks, lines and underscores are one. */
export const joined = (text: string) => text.replace(/[\s_-]+/g, '_')

/** `medium` is as near to `meta.medium` as can be. */
export function nearestHeader(words: string, known: readonly string[]): string {
  let best = { header: '', distance: Infinity }
  for (const header of known)
    for (const spelling of [header, header.replace(/^meta\./, '')]) {
      const distance = editDistance(joined(words).slice(0, 80), spelling)
      if (distance < best.distance) best = { header, distance }
    }
  return best.header
}

/** Levenshtein: how many letters must be changed, added or taken away. */
function editDistance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, place) => place)
  for (const [row, letter] of Array.from(one).entries()) {
    const here = [row + 1]
    for (let place = 0; place < other.length; place++)
      here.push(
        Math.min(
          (here[place] ?? 0) + 1,
          (above[place + 1] ?? 0) + 1,
          (above[place] ?? 0) + (letter === other[place] ? 0 : 1),
        ),
      )
    above = here
  }
  return above[other.length] ?? 0
}
