/* The search fields of a page: `/` and Ctrl-K go to the one in the header; what they find is loaded at first use. */

const FIELD = '.finder input'

document.addEventListener('keydown', (event) => {
  const isChord = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k'
  if (!isChord && (event.key !== '/' || isTyping(event.target))) return
  const field = document.querySelector<HTMLInputElement>(`.top ${FIELD}`)
  if (!field || document.querySelector('dialog[open]')) return
  event.preventDefault()
  field.focus()
  field.select()
})

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement ||
  (target instanceof HTMLElement && target.isContentEditable)

const known = new WeakSet<EventTarget>()

document.addEventListener('focusin', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches(FIELD) || known.has(target)) return
  known.add(target)
  // Without its module the field still submits its form.
  import('./finder.ts').then(
    ({ openFinder }) => openFinder(target),
    () => known.delete(target),
  )
})
