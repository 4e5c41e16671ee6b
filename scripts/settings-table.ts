import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { meanings, settings } from '#foundation/settings/settings.ts'

/** Writes the table of settings into docs/operating.md; test/settings.test.ts fails while they differ. */
const FILE = join(import.meta.dirname, '../docs/operating.md')
const [BEGIN, END] = ['<!-- settings: begin -->', '<!-- settings: end -->']

/** One row per setting, in the order of config.ts. */
export function settingsTable(): string {
  const rows = Object.entries(settings).map(([name, { default: fallback, secret }]) => {
    const shown = Array.isArray(fallback) ? fallback.join(',') : String(fallback ?? '')
    const value = shown === '' ? '' : `\`${shown}\``
    return `| \`${name}\`${secret ? ' (secret)' : ''} | ${value} | ${meanings[name as keyof typeof meanings]} |`
  })
  return ['| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
}

/** The document with a new table between its two markers. */
export function withTable(document: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`docs/operating.md has lost its marks ${BEGIN} and ${END}`)
  return `${document.slice(0, begin + BEGIN.length)}\n${settingsTable()}\n${document.slice(end)}`
}

if (import.meta.main) writeFileSync(FILE, withTable(readFileSync(FILE, 'utf8')))
