import { html } from './html.ts'

type Katex = { render: (tex: string, place: HTMLElement, options: object) => void }

/** KaTeX is loaded where a formula stands. It writes MathML, which every browser draws with its own fonts. */
const KATEX = new URL('../katex.js', import.meta.url).href
const OPTIONS = {
  output: 'mathml',
  throwOnError: true,
  strict: 'ignore',
  trust: false,
  errorColor: 'currentcolor',
  maxSize: 20,
  maxExpand: 500,
}

let library: Promise<Katex> | undefined
const load = () => (library ??= import(KATEX).then(() => (globalThis as unknown as { katex: Katex }).katex))

async function show(place: HTMLElement, tex: string, displayMode: boolean): Promise<void> {
  try {
    const { render } = await load().catch((error: unknown) => {
      library = undefined
      throw error
    })
    render(tex, place, { ...OPTIONS, displayMode })
    markLetters(place)
  } catch {
    // What is no formula stays as it was written.
    place.textContent = tex
  }
}

/**
 * A letter is drawn in italics by the style sheet. Browsers would take it from the mathematical alphabets, which many fonts
 * lack.
 */
function markLetters(place: HTMLElement): void {
  for (const one of place.querySelectorAll('mi'))
    if (Array.from(one.textContent ?? '').length === 1 && !one.hasAttribute('mathvariant'))
      one.classList.add('letter')
}

/** A formula in TeX, shown as its source until KaTeX is there, and if KaTeX cannot be loaded. */
export function formula(tex: string, isBlock = false): HTMLElement {
  const place = html`<span class=${isBlock ? 'formula block' : 'formula'} dir="ltr">${tex}</span>`
  void show(place, tex, isBlock)
  return place
}
