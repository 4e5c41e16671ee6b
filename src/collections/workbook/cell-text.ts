/** Workbooks write characters that XML cannot hold as _xHHHH_, and a literal _xHHHH_ as _x005F_xHHHH_. */
export const decodeEscapes = (text: string) =>
  text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
    : text

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', _: '_x005F_' }
// oxlint-disable-next-line no-control-regex -- XML cannot hold them
const UNSAFE = /[&<>\r\uFFFE\uFFFF\u0000-\u0008\u000B\u000C\u000E-\u001F]|_(?=x[0-9A-Fa-f]{4}_)/g

/** A text as the XML of a workbook holds it, so that a reader finds the same text, and no escape that is none. */
export const encodeText = (text: string) =>
  text.replaceAll(
    UNSAFE,
    (char) => ENTITIES[char] ?? `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  )
