import type { Info } from '../api-types.ts'
import { showAccount } from './account.ts'
import { info, refusal, refusalOf } from './api.ts'
import { type Child, fillWith } from './html.ts'
import { reachable } from './session.ts'
import { refusalPanel, signedOut, skeleton } from './states.ts'

export type Visit = {
  user: NonNullable<Info['user']>
  sso_url: string
  query: URLSearchParams
  /** A required query parameter. Without it the page shows the 404 panel. */
  required: (name: string) => string
}

/**
 * Opens the page: shows a skeleton, finds out who is signed in and puts the result of `load` into `#page`. An error
 * of `load` becomes a panel with a next step. Returns a function that reloads.
 */
export function openPage(load: (visit: Visit) => Promise<Child>, { rows = 4 } = {}): () => Promise<void> {
  const query = new URLSearchParams(location.search)
  const required = (name: string) => {
    const value = query.get(name)
    if (!value) throw refusal(404, `${name} is missing`)
    return value
  }
  return opened(async ({ user }, sso_url) => {
    if (!user) return signedOut(sso_url)
    return load({ user, sso_url, query, required })
  }, rows)
}

/** The same for a page that needs no sign-in. */
export const openPublicPage = (load: (info: Info) => Promise<Child>): (() => Promise<void>) => opened(load, 4)

function opened(load: (info: Info, sso_url: string) => Promise<Child>, rows: number) {
  const place = document.querySelector('#page')
  if (!place) throw new Error('the page has no #page')

  async function show(content: () => Promise<Child>) {
    place?.setAttribute('aria-busy', 'true')
    let shown: Child
    try {
      shown = await content()
    } catch (error) {
      const told = refusalOf(error)
      if (told.status === -1) reportError(error)
      shown =
        told.status === 401
          ? signedOut(reachable((await info()).sso_url))
          : refusalPanel(told, () => void open())
    }
    if (place) fillWith(place, shown)
    place?.setAttribute('aria-busy', 'false')
  }

  const open = () =>
    show(async () => {
      const known = await info()
      const sso_url = reachable(known.sso_url)
      showAccount(known.user, sso_url)
      return load(known, sso_url)
    })

  fillWith(place, skeleton(rows))
  void open()
  return open
}

/** Sets the heading and the window title. */
export function setTitle(title: string): void {
  const heading = document.querySelector('h1')
  if (heading) heading.textContent = title
  document.title = `${title} · Lyceum`
}
