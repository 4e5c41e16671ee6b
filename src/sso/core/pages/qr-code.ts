import { encode } from 'uqr'
import { type Html, html } from './html.ts'

/** A text as a QR code. Dark on white in both themes, because scanners expect that. */
export function qrCode(text: string, label: Html): Html {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}">
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${squares.join('')}" fill="#000" />
  </svg>`
}
