import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import PDFDocument from 'pdfkit'
import { encode } from 'uqr'
import { normalized } from '#foundation/text.ts'
import { directionOf, piecesOf } from './bidi.ts'

/** What stands on the sheet, in the language of whoever asked for it. */
export type Sheet = {
  language: string
  title: string
  certifies: string
  person_name: string
  passed: string
  channel_title: string
  issued: string
  issuer: string
  check: string
  url: string
  issued_at: string
}

const font = (name: string) =>
  readFileSync(fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)))
const FONTS = { plain: font('DejaVuSans'), bold: font('DejaVuSans-Bold') }

/** A4, landscape, in points. */
const [WIDTH, HEIGHT] = [841.89, 595.28]
const MEASURE = 660
const [INK, QUIET, ACCENT] = ['#1a1c26', '#5a5d6d', '#3d4fd1']
const QR = 92
/** The height of a line, in sizes of its font. */
const LINE = 1.3

type Style = { font: keyof typeof FONTS; size: number; color: string }

export async function drawCertificate(sheet: Sheet): Promise<Uint8Array> {
  const pdf = new PDFDocument({
    size: 'A4',
    layout: 'landscape',
    margin: 0,
    lang: sheet.language,
    displayTitle: true,
    info: {
      Title: `${sheet.title}: ${shown(sheet.channel_title)}`,
      Author: shown(sheet.issuer),
      CreationDate: new Date(sheet.issued_at),
    },
  })
  const done = bytesOf(pdf)
  for (const [name, bytes] of Object.entries(FONTS)) pdf.registerFont(name, bytes)
  frame(pdf)
  let y = 84
  const put = (text: string, style: Style, gap: number, smaller: number[] = [], room = 0) => {
    y = block(pdf, text, { style, sizes: [style.size, ...smaller], room, y }) + gap
  }
  put(sheet.issuer, { font: 'bold', size: 14, color: QUIET }, 14, [11, 9], 37)
  put(sheet.title, { font: 'bold', size: 38, color: ACCENT }, 26)
  put(sheet.certifies, { font: 'plain', size: 14, color: QUIET }, 12)
  put(sheet.person_name, { font: 'bold', size: 32, color: INK }, 18, [26, 20, 16, 12], 84)
  put(sheet.passed, { font: 'plain', size: 14, color: QUIET }, 12)
  put(sheet.channel_title, { font: 'bold', size: 22, color: INK }, 0, [18, 15, 12], 72)
  foot(pdf, sheet)
  pdf.end()
  return done
}

function bytesOf(pdf: PDFKit.PDFDocument): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const chunks: Buffer[] = []
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk))
  pdf.on('end', () => resolve(Buffer.concat(chunks)))
  pdf.on('error', reject)
  return promise
}

function frame(pdf: PDFKit.PDFDocument) {
  pdf
    .rect(24, 24, WIDTH - 48, HEIGHT - 48)
    .lineWidth(1.5)
    .stroke(ACCENT)
  pdf
    .rect(32, 32, WIDTH - 64, HEIGHT - 64)
    .lineWidth(0.5)
    .stroke(ACCENT)
}

/** The date and where to check it, beside a code for cameras. */
function foot(pdf: PDFKit.PDFDocument, { issued, check, url }: Sheet) {
  const [left, top] = [60, HEIGHT - 60 - QR]
  const squares = encode(url, { ecc: 'M', border: 0 })
  const side = QR / squares.size
  squares.data.forEach((row, y) =>
    row.forEach((isDark, x) => {
      if (isDark) pdf.rect(WIDTH - left - QR + x * side, top + y * side, side + 0.05, side + 0.05)
    }),
  )
  pdf.fill(INK)
  line(pdf, issued, { font: 'plain', size: 12, color: INK }, { x: left, y: top + 18 })
  line(pdf, check, { font: 'plain', size: 9, color: QUIET }, { x: left, y: top + 44 })
  const lines = linesOf(pdf, url, { font: 'plain', size: 8, color: QUIET }, WIDTH - 3 * left - QR)
  lines.forEach((text, i) =>
    line(pdf, text, { font: 'plain', size: 8, color: QUIET }, { x: left, y: top + 58 + i * 11 }),
  )
  pdf.link(left, top + 40, WIDTH - 3 * left - QR, 40, url)
}

/** Centred lines in the largest size that fits into the room, which the smallest always does; returns where they end. */
function block(
  pdf: PDFKit.PDFDocument,
  text: string,
  { style, sizes, room, y }: { style: Style; sizes: readonly number[]; room: number; y: number },
): number {
  let [lines, size] = [[] as string[], style.size]
  for (size of sizes) {
    lines = linesOf(pdf, text, { ...style, size }, MEASURE)
    if (lines.length * size * LINE <= room) break
  }
  const direction = directionOf(text)
  for (const one of lines) {
    const width = widthOf(pdf, one, { ...style, size })
    line(pdf, one, { ...style, size }, { x: (WIDTH - width) / 2, y, direction })
    y += size * LINE
  }
  return y
}

/** Breaks at spaces, and words that are wider than a line between characters. */
function linesOf(pdf: PDFKit.PDFDocument, text: string, style: Style, measure: number): string[] {
  const lines: string[] = []
  let current = ''
  const fits = (one: string) => widthOf(pdf, one, style) <= measure
  for (const word of shown(text).split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`
    if (fits(longer)) {
      current = longer
      continue
    }
    if (current !== '') lines.push(current)
    current = ''
    for (const { segment: character } of characters.segment(word)) {
      if (current !== '' && !fits(current + character)) {
        lines.push(current)
        current = ''
      }
      current += character
    }
  }
  return current === '' ? lines : [...lines, current]
}

/** The font has few pictographs, so all are left out. */
const PICTOGRAPHS =
  /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200d|\ufe0f|\u20e3/gu

/** What would hide or turn around the text beside it: controls, marks of direction, characters without a width. */
const HIDING = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu
/** A stack of marks that would climb over the lines around it; no script needs more than four. */
const STACKS = /(\p{M}{4})\p{M}+/gu
const characters = new Intl.Segmenter('en')

const shown = (text: string) =>
  normalized(text, 'NFC')
    .replaceAll(PICTOGRAPHS, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(HIDING, '')
    .replaceAll(STACKS, '$1')
    .trim()

/** With `features` pdfkit sets a text as a whole; else word by word, in the wrong order for Hebrew and Arabic. */
const WHOLE = { lineBreak: false, features: [] as PDFKit.Mixins.OpenTypeFeatures[] }

function widthOf(pdf: PDFKit.PDFDocument, text: string, { font: name, size }: Style): number {
  return pdf.font(name).fontSize(size).widthOfString(text, WHOLE)
}

function line(
  pdf: PDFKit.PDFDocument,
  text: string,
  style: Style,
  { x, y, direction = directionOf(text) }: { x: number; y: number; direction?: 'ltr' | 'rtl' },
) {
  let left = x
  for (const piece of piecesOf(shown(text), direction)) {
    pdf.font(style.font).fontSize(style.size).fillColor(style.color).text(piece, left, y, WHOLE)
    left += pdf.widthOfString(piece, WHOLE)
  }
}
