import { render, type TemplateResult } from 'lit-html'

export { language, texts } from './language.ts'

const first = new Map(
  Object.entries(JSON.parse(document.querySelector('#data')?.textContent ?? '{}') as object),
)

/** What came with the page for this path of the API; once, so that asking again asks the service. */
export function takeFirst(path: string): unknown {
  const found: unknown = first.get(path)
  first.delete(path)
  return found
}

/**
 * Renders `view` into the page and returns a function that renders it again; many calls in one task render once,
 * the first after the module has run. Keep what changes in plain variables, change them, and call the function.
 */
export function openPage(view: () => TemplateResult): () => void {
  const place = document.querySelector<HTMLElement>('#page')
  if (!place) throw new Error('the page has no #page')
  let isWaiting = false
  const show = () => {
    isWaiting = false
    render(view(), place)
    place.setAttribute('aria-busy', 'false')
  }
  const update = () => {
    if (!isWaiting) queueMicrotask(show)
    isWaiting = true
  }
  update()
  return update
}

/** Runs again and again while somebody looks at the page. */
export function keepFresh(run: () => Promise<void>, every_ms: number): void {
  const later = () => setTimeout(() => void again(), every_ms)
  const again = async () => {
    if (document.visibilityState === 'visible') await run()
    later()
  }
  later()
}

/** Puts the values into the query of the address, without a new page; an empty value removes its name. */
export function setQuery(values: Record<string, string | undefined>): URLSearchParams {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(values))
    if (value) url.searchParams.set(name, value)
    else url.searchParams.delete(name)
  history.replaceState(null, '', url)
  return url.searchParams
}
