import { texts } from '#foundation/web/client/language.ts'
import type { Hit } from '../api-types.ts'
import { refusalOf } from './api.ts'
import { FINDER_TEXTS } from './finder-texts.ts'
import { addressOf, findHits, pieces, placeOf } from './hits.ts'
import { fillWith, html } from './html.ts'
import { phrase } from './phrase.ts'
import { sentence } from './states.ts'

const t = texts(FINDER_TEXTS)
/** Milliseconds without a key before the service is asked. */
const PAUSE = 180
const SHOWN = 7

let finders = 0

/**
 * Shows what the words of a search field find while one types, as a list box: arrows choose, Enter opens, Escape closes.
 * Enter without a choice submits the form. `data-channel` of the form narrows it to a channel.
 */
export function openFinder(input: HTMLInputElement): void {
  const form = input.form
  if (!form) return
  const id = `finder-${(finders += 1)}`
  const list = html`<ul id=${id} role="listbox" aria-label=${t('results')}></ul>`
  const told = html`<p role="status"></p>`
  const box = html`<div class="finds" hidden>${list}${told}</div>`
  form.append(box)
  let asked = ''
  let active = -1
  let timer: ReturnType<typeof setTimeout> | undefined

  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': id,
  }))
    input.setAttribute(name, value)

  const options = () => [...list.children] as HTMLElement[]

  function show(isOpen: boolean) {
    box.hidden = !isOpen
    input.setAttribute('aria-expanded', String(isOpen && list.childElementCount > 0))
    choose(-1)
  }

  function choose(at: number) {
    active = at
    for (const [i, option] of options().entries()) option.setAttribute('aria-selected', String(i === at))
    const chosen = options()[at]
    if (chosen) input.setAttribute('aria-activedescendant', chosen.id)
    else input.removeAttribute('aria-activedescendant')
    chosen?.scrollIntoView({ block: 'nearest' })
  }

  async function ask() {
    const q = input.value.trim()
    if (q === asked) return show(q !== '')
    asked = q
    if (q === '') return show(false)
    try {
      const { items } = await findHits(q, { channel_id: form?.dataset['channel'], per_page: String(SHOWN) })
      // Somebody typed on meanwhile.
      if (q !== input.value.trim()) return
      fillWith(list, items.map(optionOf), items.length > 0 && allOf(q))
      told.textContent = items.length > 0 ? '' : t('nothing', { q })
    } catch (error) {
      asked = ''
      const { status, message } = refusalOf(error)
      fillWith(list)
      told.textContent = status === 401 ? t('sign_in') : t('failed', { why: sentence(message) })
    }
    show(document.activeElement === input)
  }

  const optionOf = (hit: Hit, i: number) =>
    option(`${id}-${i}`, addressOf(hit), [
      html`<strong lang=${hit.language} dir="auto">${pieces(hit.title)}</strong>`,
      html`<span>${placeOf(hit)}</span>`,
      hit.found_in !== 'title' &&
        hit.found_in !== 'authors' &&
        html`<span class="hit-text" lang=${hit.language} dir="auto">${pieces(hit.excerpt)}</span>`,
    ])

  const allOf = (q: string) => {
    const { channel } = form.dataset
    const to = new URLSearchParams({ q, ...(channel && { in: channel }) })
    return option(
      `${id}-all`,
      `/channels?${to.toString()}`,
      html`<strong>${phrase(t, 'all', { q: html`<bdi>${q}</bdi>` })}</strong>`,
    )
  }

  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void ask(), PAUSE)
  })
  input.addEventListener('focus', () => input.value.trim() !== '' && void ask())
  // A press on an option must not take the focus away first.
  box.addEventListener('mousedown', (event) => event.preventDefault())
  input.addEventListener('blur', () => show(false))
  input.addEventListener('keydown', (event) => {
    const many = options().length
    if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !box.hidden && many > 0) {
      const step = event.key === 'ArrowDown' ? 1 : -1
      choose(active < 0 && step < 0 ? many - 1 : (active + step + many) % many)
    } else if (event.key === 'Enter' && !box.hidden && options()[active]) options()[active]?.click()
    else if (event.key === 'Escape' && !box.hidden) show(false)
    else return
    event.preventDefault()
  })
  if (input.value.trim() !== '' && document.activeElement === input) void ask()
}

function option(id: string, address: string, content: Parameters<typeof fillWith>[1]) {
  const made = html`<li id=${id} role="option" aria-selected="false">${content}</li>`
  made.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey) open(address)
    else location.assign(address)
  })
  return made
}
