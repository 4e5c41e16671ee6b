import { html, type TemplateResult } from 'lit-html'

/** A rule of a table is short; longer lines are text. */
const LONGEST_RULE = 500

/** Whether a table begins here: a line with bars, and below it a rule such as `|---|:-:|`. */
export const isTable = (line: string, next = ''): boolean =>
  line.includes('|') &&
  next.includes('-') &&
  next.includes('|') &&
  next.length <= LONGEST_RULE &&
  isRule(next)

function isRule(line: string): boolean {
  const cells = cellsOf(line)
  return cells.length > 0 && cells.every((cell) => /^:?-+:?$/.test(cell))
}

/**
 * The lines of a table, rule included, as a table that scrolls for itself. Short rows are not filled up: a long title above
 * thousands of rows would make millions of cells.
 */
export function tableOf([head = '', , ...rows]: string[], inline: (text: string) => unknown): TemplateResult {
  const titles = cellsOf(head)
  return html`<div class="scroll-x" tabindex="0">
    <table>
      <thead>
        <tr>
          ${titles.map((cell) => html`<th scope="col" dir="auto">${inline(cell)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${cellsOf(row)
                .slice(0, titles.length)
                .map((cell) => html`<td dir="auto">${inline(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** `\\|` is a bar within a cell. */
const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
