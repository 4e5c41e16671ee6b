/** Characters to scan at most. This takes some 30 ms, during which requests wait. */
const MAX_LOOKED = 2_000_000

/**
 * The first balanced JSON object in a text, because models wrap it in prose and fences. Undefined when there is none,
 * and when too many unclosed braces would make the search slow.
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
        // This brace belongs to the prose; the next one may begin the object.
      }
    from = text.indexOf('{', from + 1)
  }
  return undefined
}

/** The index after the object that begins at `from`. Braces within strings do not count. */
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
