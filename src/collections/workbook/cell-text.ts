/** Characters that XML cannot hold stand in workbooks as _xHHHH_, and a literal one as _x005F_xHHHH_. */
export const decodeEscapes = (text: string) =>
  text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
    : text

/**
 * The other way round: what a reader would take for an escape is written so that it comes back unchanged, and so are the
 * two characters of stored text that no XML may hold.
 */
export const encodeEscapes = (text: string) =>
  /_x|[\uFFFE\uFFFF]/.test(text)
    ? text
        .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
        .replaceAll('\uFFFE', '_xFFFE_')
        .replaceAll('\uFFFF', '_xFFFF_')
    : text
