import { texts } from '#foundation/web/client/language.ts'
import { type Child, html } from './html.ts'
import { icon } from './icons.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { toast } from './toast.ts'

const t = texts(SHELL_TEXTS)

/** One row: its content, and a function that reads its value. */
export type Row<T> = { content: Child; read: () => T }

type Options<T> = {
  /** The noun for one row in the language of the page, such as `chapter`, in the labels of its buttons. */
  one: string
  /** The path of the rows in API errors, such as `chapters`. */
  path: string
  values: readonly T[]
  /** Creates a row for a value, or an empty row. */
  make: (value: T | undefined) => Row<T>
  max?: number
  min?: number
  /** Whether rows can be reordered. */
  isOrdered?: boolean
  addText?: string
  /** Rows that are made at once; the others are made while the browser has nothing else to do. */
  first?: number
}

export type Rows<T> = {
  element: HTMLElement
  read: () => T[]
  add: (value?: T) => void
  size: () => number
  /** Makes the rows that are not made yet. */
  finish: () => void
}

/** Rows that are made in one go, which takes some milliseconds. */
const CHUNK = 10

/**
 * A list whose rows can be added, removed (with undo) and moved, by dragging or by two buttons for the keyboard. Each
 * change fires an input event of the form.
 */
export function rowList<T>(options: Options<T>): Rows<T> {
  const {
    one,
    path,
    values,
    make,
    max = 100,
    min = 0,
    isOrdered = false,
    first = values.length,
    addText = t(/^[aeiou]/.test(one) ? 'add_an' : 'add_a', { one }),
  } = options
  const readers = new WeakMap<Element, () => T>()
  const told = html`<p class="unseen" role="status"></p>`
  const list = html`<ol class="rowlist-items"></ol>`
  const adder = html`<button type="button" class="second small" onclick=${() => add()}>
    ${icon('plus')}${addText}
  </button>`
  const element = html`<div class="rowlist">${list}${adder}${told}</div>`
  const waiting = values.slice(first)
  const size = () => list.childElementCount + waiting.length
  let dragged: Element | undefined

  function tidy() {
    adder.hidden = size() >= max
    for (const item of list.children) item.classList.toggle('is-kept', size() <= min)
  }

  function makeNext(count: number) {
    list.append(...waiting.splice(0, count).map(itemOf))
  }

  function finish() {
    makeNext(waiting.length)
  }

  function makeLater() {
    if (waiting.length === 0) return
    makeNext(CHUNK)
    setTimeout(makeLater, 0)
  }

  function changed(words?: string) {
    tidy()
    if (words) told.textContent = words
    element.dispatchEvent(new Event('input', { bubbles: true }))
  }

  function add(value?: T) {
    finish()
    const item = itemOf(value)
    list.append(item)
    changed()
    if (value === undefined) item.querySelector<HTMLElement>('input, textarea, select')?.focus()
  }

  function move(item: Element, by: -1 | 1, button: HTMLElement) {
    const other = by < 0 ? item.previousElementSibling : item.nextElementSibling
    if (!other) return
    if (by < 0) other.before(item)
    else other.after(item)
    button.focus()
    changed(t('place', { at: [...list.children].indexOf(item) + 1, of: list.childElementCount }))
  }

  function remove(item: Element) {
    const [next, place] = [item.nextElementSibling ?? item.previousElementSibling, item.nextElementSibling]
    item.remove()
    changed()
    ;(next?.querySelector<HTMLElement>('.row-tools button:last-child') ?? adder).focus()
    const undo = () => {
      list.insertBefore(item, place?.isConnected ? place : null)
      changed()
    }
    toast(t('removed', { one }), { action: { text: t('undo'), run: undo } })
  }

  function itemOf(value: T | undefined) {
    const { content, read } = make(value)
    const button = (name: 'up' | 'down' | 'trash', words: string, run: (button: HTMLElement) => void) =>
      html`<button
        type="button"
        class="icon-button"
        aria-label="${words}"
        title=${words}
        onclick=${({ currentTarget }: Event) => run(currentTarget as HTMLElement)}
      >
        ${icon(name)}
      </button>`
    const grip = html`<span class="row-grip" draggable="true" aria-hidden="true" title=${t('drag')}></span>`
    const item: HTMLElement = html`<li class="row">
      ${isOrdered && grip}
      <div class="row-body">${content}</div>
      <div class="row-tools">
        ${isOrdered && button('up', t('up', { one }), (pressed) => move(item, -1, pressed))}
        ${isOrdered && button('down', t('down', { one }), (pressed) => move(item, 1, pressed))}
        ${button('trash', t('remove', { one }), () => remove(item))}
      </div>
    </li>`
    if (isOrdered) dragging(item, grip)
    readers.set(item, read)
    return item
  }

  function dragging(item: HTMLElement, grip: HTMLElement) {
    grip.addEventListener('dragstart', (event) => {
      dragged = item
      event.dataTransfer?.setData('text/plain', '')
      event.dataTransfer?.setDragImage(item, 12, 12)
      item.classList.add('is-dragged')
    })
    grip.addEventListener('dragend', () => {
      item.classList.remove('is-dragged')
      dragged = undefined
      changed()
    })
    item.addEventListener('dragover', (event) => {
      if (!dragged || dragged === item) return
      event.preventDefault()
      const { top, height } = item.getBoundingClientRect()
      if (event.clientY < top + height / 2) item.before(dragged)
      else item.after(dragged)
    })
    item.addEventListener('drop', (event) => event.preventDefault())
  }

  list.append(...values.slice(0, first).map(itemOf))
  tidy()
  setTimeout(makeLater, 0)
  return {
    element,
    add,
    size,
    finish,
    read: () => [
      ...[...list.children].map((item, place) => {
        for (const part of item.querySelectorAll<HTMLElement>('[data-field]')) {
          part.dataset['part'] ??= part.dataset['field'] ?? ''
          part.dataset['field'] = `${path}[${place}].${part.dataset['part']}`
        }
        const read = readers.get(item)
        if (!read) throw new Error('a row without a reader')
        return read()
      }),
      ...waiting,
    ],
  }
}
