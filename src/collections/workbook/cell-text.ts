/** Workbooks write characters that XML cannot hold as _xHHHH_, and a literal _xHHHH_ as _x005F_xHHHH_. */
export const decodeEscapes = (text: string) =>
  text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
    : text

/**
 * The inverse: escapes text that a reader would take for an escape, and the two characters of stored text that XML
 * forbids.
 */
export const encodeEscapes = (text: string) =>
  /_x|[\uFFFE\uFFFF]/.test(text)
    ? text
        .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
        .replaceAll('\uFFFE', '_xFFFE_')
        .replaceAll('\uFFFF', '_xFFFF_')
    : text
