/** Characters, some 30 ms: requests wait meanwhile. */
const MAX_LOOKED = 2_000_000

/**
 * The first balanced JSON object in a text: models wrap it in prose and fences. Undefined when there is none, and when so
 * many braces were left open that finding it would take long.
 */
export function firstObject(text: string): object | undefined {
  let from = text.indexOf('{')
  for (let looked = 0; from >= 0 && looked < MAX_LOOKED;) {
    const to = endOfObject(text, from)
    looked += (to ?? text.length) - from
    if (to !== undefined)
      try {
        return JSON.parse(text.slice(from, to)) as object
      } catch {
        // A brace of the prose: the next one may begin the object.
      }
    from = text.indexOf('{', from + 1)
  }
  return undefined
}

/** Where the object that begins here ends; braces within strings do not count. */
function endOfObject(text: string, from: number): number | undefined {
  let [depth, isText] = [0, false]
  for (let place = from; place < text.length; place++) {
    const character = text[place]
    if (isText) {
      if (character === '\\') place++
      else if (character === '"') isText = false
    } else if (character === '"') isText = true
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return place + 1
  }
  return undefined
}
