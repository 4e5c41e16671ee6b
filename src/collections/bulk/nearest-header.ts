/** Treats spaces, hyphens and underscores alike. */
export const joined = (text: string) => text.replace(/[\s_-]+/g, '_')

/**
 * Finds the known header closest to a misspelled one. The prefix `meta.` is optional: `medium` matches `meta.medium`.
 */
export function nearestHeader(words: string, known: readonly string[]): string {
  let best = { header: '', distance: Infinity }
  for (const header of known)
    for (const spelling of [header, header.replace(/^meta\./, '')]) {
      const distance = editDistance(joined(words).slice(0, 80), spelling)
      if (distance < best.distance) best = { header, distance }
    }
  return best.header
}

/** The Levenshtein distance: the number of letters to change, insert or delete. */
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
