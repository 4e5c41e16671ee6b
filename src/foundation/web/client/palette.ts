import { html, nothing, render } from 'lit-html'
import { get } from './api.ts'
import { takeFirst, texts } from './page.ts'

const t = texts({
  en: { title: 'Go to', none: 'Nothing found.' },
  de: { title: 'Gehe zu', none: 'Nichts gefunden.' },
  es: { title: 'Ir a', none: 'No se ha encontrado nada.' },
})

/**
 * What else is found by its name, from the data of the page: `path` asks the API, with `{q}` for what was typed; `text`
 * and `note` are fields of each item, and `href` is where it leads, with `{field}` for a field.
 */
export type PaletteSearch = { path: string; text: string; note: string; href: string }
type Place = { href: string; text: string; note?: string }
type Item = Record<string, string | null | undefined>

const PAUSE_MS = 120
const MOST = 8
const search = takeFirst('palette') as PaletteSearch | undefined

/** Opens on Ctrl-K or ⌘-K: all places of the navigation, and what the page can search, found by what is typed. */
export function openPaletteByKey(): void {
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (!document.querySelector('dialog[open]')) open()
  })
}

function open() {
  const dialog = document.createElement('dialog')
  dialog.className = 'palette'
  dialog.setAttribute('aria-label', t('title'))
  const places = Array.from(
    document.querySelectorAll<HTMLAnchorElement>('header nav a'),
    ({ href, textContent }): Place => ({ href, text: textContent }),
  )
  let typed = ''
  let items: Place[] = []
  let isAsking = false
  let timer: ReturnType<typeof setTimeout> | undefined

  /** What was found stays in sight until there is something newer. */
  const ask = async (asked: string) => {
    try {
      const found = asked ? await itemsOf(asked) : []
      if (asked === typed) items = found
    } catch {
      // The places of the navigation remain.
    }
    if (asked !== typed) return
    isAsking = false
    show()
  }
  const type = (event: Event) => {
    typed = (event.target as HTMLInputElement).value.trim()
    clearTimeout(timer)
    isAsking = search !== undefined
    if (search) timer = setTimeout(() => void ask(typed), PAUSE_MS)
    show()
  }
  const found = () => [
    ...places.filter(({ text }) => text.toLowerCase().includes(typed.toLowerCase())),
    ...items,
  ]
  /** Enter before the answer waits for it. */
  const go = async (event: Event) => {
    event.preventDefault()
    clearTimeout(timer)
    if (isAsking) await ask(typed)
    const [place] = found()
    if (place) location.assign(place.href)
  }
  const show = () => {
    const all = found()
    render(
      html`<form @submit=${go}>
          <input aria-label=${t('title')} placeholder=${t('title')} @input=${type} autocomplete="off" />
        </form>
        <ul>
          ${all.map(
            ({ href, text, note }) =>
              html`<li>
                <a href=${href} dir="auto"
                  >${text}${note ? html` <span class="quiet-text">${note}</span>` : nothing}</a
                >
              </li>`,
          )}
        </ul>
        <p role="status">${all.length === 0 && !isAsking ? t('none') : ''}</p>`,
      dialog,
    )
  }
  show()
  document.body.append(dialog)
  dialog.addEventListener('keydown', walk)
  dialog.addEventListener('close', () => dialog.remove())
  dialog.showModal()
}

async function itemsOf(typed: string): Promise<Place[]> {
  if (!search) return []
  const { items } = await get<{ items: Item[] }>(search.path.replace('{q}', encodeURIComponent(typed)))
  const field = (item: Item, name: string) => item[name] ?? ''
  return items.slice(0, MOST).map((item) => ({
    text: field(item, search.text),
    note: field(item, search.note),
    href: search.href.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(field(item, name))),
  }))
}

/** Up and down move between the field and what was found. */
function walk(event: KeyboardEvent) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const all = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('input, a')]
  const at = all.indexOf(document.activeElement as HTMLElement)
  event.preventDefault()
  all.at((at + (event.key === 'ArrowDown' ? 1 : -1)) % all.length)?.focus()
}
