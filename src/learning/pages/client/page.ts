import type { Info } from '../api-types.ts'
import { showAccount } from './account.ts'
import { info, refusal, refusalOf } from './api.ts'
import { type Child, fillWith } from './html.ts'
import { refusalPanel, signedOut, skeleton } from './states.ts'

export type Visit = {
  user: NonNullable<Info['user']>
  sso_url: string
  query: URLSearchParams
  /** A parameter of the address that the page cannot do without; without it the visitor sees that nothing is here. */
  required: (name: string) => string
}

/**
 * Opens the page: shows that it loads, finds out who is there, and puts what `load` answers into `#page`. Whatever `load`
 * throws is shown as a panel with a way on. Answers a function that loads anew.
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

/** The same for a page that does not mind who is there. */
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

/** The heading and the title of the window. */
export function setTitle(title: string): void {
  const heading = document.querySelector('h1')
  if (heading) heading.textContent = title
  document.title = `${title} · Lyceum`
}

/** On the own machine cookies belong to a name, not to the machine: the sso is called by the name this page is called by. */
function reachable(sso_url: string): string {
  const url = new URL(sso_url)
  const isOwn = (hostname: string) => hostname === 'localhost' || hostname.startsWith('127.')
  if (!isOwn(url.hostname) || !isOwn(location.hostname)) return sso_url
  url.hostname = location.hostname
  return url.origin
}
