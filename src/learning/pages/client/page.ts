import type { Info } from '../api-types.ts'
import { showAccount } from './account.ts'
import { info, refusal, type Refusal, refusalOf } from './api.ts'
import './finder-keys.ts'
import { holdHeading, showHeading } from './heading.ts'
import { type Child, fillWith } from './html.ts'
import { loadsInLanguage } from './profile-language.ts'
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
 * of `load` becomes a panel with a next step. `visitor` is for who is not signed in; without it they read that they must
 * be, and so they do where it finds nothing. Returns a function that reloads.
 */
export function openPage(
  load: (visit: Visit) => Promise<Child>,
  { rows = 4, visitor }: { rows?: number; visitor?: (visit: Omit<Visit, 'user'>) => Promise<Child> } = {},
): () => Promise<void> {
  const query = new URLSearchParams(location.search)
  const required = (name: string) => {
    const value = query.get(name)
    if (!value) throw refusal(404, `${name} is missing`)
    return value
  }
  return opened(async ({ user }, sso_url) => {
    if (!user)
      return (await visitor?.({ sso_url, query, required }).catch(unlessMissing)) ?? signedOut(sso_url)
    return load({ user, sso_url, query, required })
  }, rows)
}

/** Not for the reader, not there, or an address that can name nothing. */
const MISSING = [403, 404, 422]

/** A visitor is not told what exists. */
function unlessMissing(error: unknown): undefined {
  if (refusalOf(error).status !== 404) throw error
}

/** The same for a page that needs no sign-in. */
export const openPublicPage = (load: (info: Info) => Promise<Child>): (() => Promise<void>) => opened(load, 4)

function opened(load: (info: Info, sso_url: string) => Promise<Child>, rows: number) {
  let place = placeOf(document)

  async function show(content: () => Promise<Child>) {
    place.setAttribute('aria-busy', 'true')
    holdHeading()
    let shown: Child
    try {
      shown = await content()
    } catch (error) {
      const told = refusalOf(error)
      if (told.status === -1) reportError(error)
      shown = told.status === 401 ? signedOut(reachable((await info()).sso_url)) : await insteadOf(told)
    }
    // A new element and not the old one with new content: what is replaced has not moved.
    const filled = place.cloneNode() as Element
    fillWith(filled, shown)
    filled.setAttribute('aria-busy', 'false')
    showHeading()
    place.replaceWith(filled)
    place = filled
  }

  const retry = () => void open()
  const insteadOf = async (told: Refusal): Promise<Child> =>
    MISSING.includes(told.status)
      ? import('./lost.ts').then(
          ({ lostPanel }) => lostPanel(told),
          () => refusalPanel(told, retry),
        )
      : refusalPanel(told, retry)

  const open = () =>
    show(async () => {
      const known = await info()
      const sso_url = reachable(known.sso_url)
      // Nothing is shown before the page loads again.
      if (known.user && loadsInLanguage(known.user.locale)) return new Promise<Child>(() => {})
      showAccount(known.user, sso_url)
      return load(known, sso_url)
    })

  fillWith(place, skeleton(rows))
  void open()
  return open
}

function placeOf(page: Document): Element {
  const place = page.querySelector('#page')
  if (!place) throw new Error('the page has no #page')
  return place
}
