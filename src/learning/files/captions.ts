import { readFile, writeFile } from 'node:fs/promises'
import { unprocessable } from '#foundation/errors.ts'

/** `1:02:03,456`; the hour may be missing. */
const STAMP = /^(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[,.](\d{1,3})$/
const MARK = /^WEBVTT(?:[ \t\n]|$)/

/**
 * Rewrites a file of captions in place as WebVTT in UTF-8. SubRip is turned into WebVTT. 422 for anything else. The
 * caller bounds its size. Returns the new size in bytes.
 */
export async function rewriteCaptions(path: string): Promise<Buffer> {
  const text = decoded(await readFile(path)).replaceAll(/\r\n?/g, '\n')
  const vtt = Buffer.from(MARK.test(text) ? text : fromSubRip(text))
  await writeFile(path, vtt)
  return vtt
}

function decoded(bytes: Buffer): string {
  const [first, second] = bytes
  const coding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    const text = new TextDecoder(coding, { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Refused below, together with other bytes that are no text.
  }
  throw unprocessable('file', 'not_captions', 'must be text in UTF-8')
}

/** SubRip: blocks of a number, a line of times with commas, and text. WebVTT wants a first line and points. */
function fromSubRip(text: string): string {
  let cues = 0
  const lines = text.split('\n').map((line) => {
    const times = timesOf(line)
    if (times) cues += 1
    // Codes of position and fonts are no WebVTT; a stray arrow would end the cue.
    return (
      times ??
      line
        .replaceAll(/\{\\[^{}]{0,40}\}/g, '')
        .replaceAll(/<\/?font[^<>]{0,200}>/gi, '')
        .replaceAll('-->', '→')
    )
  })
  if (cues === 0) throw unprocessable('file', 'not_captions', 'must be WebVTT (.vtt) or SubRip (.srt)')
  return `WEBVTT\n\n${lines.join('\n').trim()}\n`
}

function timesOf(line: string): string | undefined {
  const [from, to, ...more] = line.split('-->').map((part) => part.trim())
  if (from === undefined || to === undefined || more.length > 0) return undefined
  const [start, end] = [stamp(from), stamp(to.split(/\s/, 1)[0] ?? '')]
  return start && end ? `${start} --> ${end}` : undefined
}

function stamp(text: string): string | undefined {
  const [, hours = '0', minutes, seconds, parts] = STAMP.exec(text) ?? []
  if (minutes === undefined || seconds === undefined || parts === undefined) return undefined
  return `${hours.padStart(2, '0')}:${minutes.padStart(2, '0')}:${seconds}.${parts.padEnd(3, '0')}`
}
