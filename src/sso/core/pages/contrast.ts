/* Colours of pages, for server and browser. A colour is `#rrggbb`. */

type Rgb = readonly [number, number, number]

/** Cards and pages of both schemes, as in hosted.css. Texts and buttons have to stand out against them. */
const GROUND = { light: '#f3f4f8', dark: '#1c1e28' }
const INK = { light: '#ffffff', dark: '#14163a' }
/** WCAG 2.2, 1.4.3 */
export const LEAST_CONTRAST = 4.5

const rgbOf = (color: string): Rgb => [
  Number.parseInt(color.slice(1, 3), 16),
  Number.parseInt(color.slice(3, 5), 16),
  Number.parseInt(color.slice(5, 7), 16),
]
const mixed = (color: string, other: string, share: number): string => {
  const [a, b] = [rgbOf(color), rgbOf(other)]
  return `#${a
    .map((part, i) => Math.round(part + ((b[i] ?? 0) - part) * share))
    .map((part) => part.toString(16).padStart(2, '0'))
    .join('')}`
}

/** WCAG 2.2: relative luminance, 0 for black, 1 for white. */
function luminanceOf(color: string): number {
  const [r, g, b] = rgbOf(color).map((part) => {
    const share = part / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrastOf(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminanceOf(a), luminanceOf(b)].toSorted((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

/** How well links of this colour stand out on the light page: 1 to 21. White on a button of it stands out more. */
export const contrastOn = (color: string): number => contrastOf(color, GROUND.light)

/** The colour as it is on light pages, and on dark ones as light as its contrast needs. */
export function schemesOf(color: string) {
  let dark = color
  for (let share = 0.1; share < 1; share += 0.1) {
    if (contrastOf(dark, GROUND.dark) >= LEAST_CONTRAST + 1 && contrastOf(dark, INK.dark) >= LEAST_CONTRAST)
      break
    dark = mixed(color, '#ffffff', share)
  }
  return {
    light: { accent: color, strong: mixed(color, '#000000', 0.2), ink: INK.light },
    dark: { accent: dark, strong: mixed(dark, '#ffffff', 0.3), ink: INK.dark },
  }
}
