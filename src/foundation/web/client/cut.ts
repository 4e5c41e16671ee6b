const characters = new Intl.Segmenter('en')

/** At most this many UTF-16 units of a text, and never a part of what people see as one character. */
export function cutAt(text: string, most: number): string {
  if (text.length <= most) return text
  return text.slice(0, characters.segment(text).containing(most)?.index ?? most)
}
