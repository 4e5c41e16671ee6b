import { cutAt } from '#foundation/web/client/cut.ts'

/** An episode to be made of a line. */
export type Pasted = { title: string; url: string }

/**
 * The lines that hold an address, as episodes. What stands before the address is the title, else its last part; `named`
 * names the rest by their number, from 1 on.
 */
export function readPasted(text: string, named: (number: number) => string): Pasted[] {
  const found: Pasted[] = []
  for (const line of text.split('\n')) {
    const at = line.search(/https?:\/\//i)
    const [url = ''] = at < 0 ? [] : line.slice(at).split(/\s/, 1)
    if (!URL.canParse(url)) continue
    const said = trimmed(line.slice(0, at))
    found.push({ title: cutAt(said || lastPart(url) || named(found.length + 1), 200), url })
  }
  return found
}

/** Separators around a title, such as in `1. Title - https://…` of a table or a list. */
function trimmed(text: string): string {
  let end = text.length
  while (end > 0 && ' \t|,;:-–—"<('.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end).replace(/^[\s"*•-]{1,20}/, '')
}

/** The name of a file in the address, without its ending; empty where the address names a page. */
function lastPart(url: string): string {
  const { pathname } = new URL(url)
  const name = pathname.split('/').at(-1) ?? ''
  const [, base = ''] = /^(.+)\.(?:mp4|m4v|webm|ogv|mov|m3u8|mp3)$/i.exec(name) ?? []
  try {
    return decodeURIComponent(base).replaceAll(/[_+]/g, ' ').trim()
  } catch {
    return base
  }
}
