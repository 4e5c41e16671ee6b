import { html, nothing, type TemplateResult } from 'lit-html'
import { openPage, setQuery, texts } from '../../web/client/page.ts'
import type { ApiDocument, Operation } from './description.ts'
import { credentials } from './credentials.ts'
import { operationView } from './operation.ts'
import { REFERENCE_TEXTS } from './reference-texts.ts'

/* /docs: every route of the service, its fields, answers and programs, and a form that calls it. */

const t = texts(REFERENCE_TEXTS)
type Route = { id: string; method: string; path: string; tag: string; operation: Operation }

let routes: Route[] | undefined
let fault = false
let words = new URLSearchParams(location.search).get('q') ?? ''
const shown = new Set<string>()

const update = openPage(view)
void load()

async function load(): Promise<void> {
  try {
    const reply = await fetch('/docs/openapi.json')
    if (!reply.ok) throw new Error(String(reply.status))
    routes = routesOf((await reply.json()) as ApiDocument)
    fault = false
  } catch {
    fault = true
  }
  update()
  setTimeout(goToAddress)
}

/** Pages for people are left out: a reference is for programs. */
const routesOf = ({ paths }: ApiDocument): Route[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { responses }]) => !responses?.['200']?.content?.['text/html'])
      .map(([method, operation]) => ({
        id: operation.operationId,
        method,
        path,
        tag: operation.tags[0] ?? '',
        operation,
      })),
  )

/** Opens the route that the address names. */
function goToAddress(): void {
  const id = decodeURIComponent(location.hash.slice(1))
  if (!routes?.some((route) => route.id === id)) return
  shown.add(id)
  update()
  setTimeout(() => document.getElementById(id)?.scrollIntoView())
}
window.addEventListener('hashchange', goToAddress)

function view(): TemplateResult {
  if (fault)
    return html`<p class="fault" role="alert">
      ${t('unreadable')} <button type="button" class="second small" @click=${load}>${t('again')}</button>
    </p>`
  const found = matching(routes ?? [])
  const groups = Map.groupBy(found, ({ tag }) => tag)
  return html`<p>${t('intro')}</p>
    ${credentials.view()}
    <div class="bar">
      <label
        >${t('find')}
        <input type="search" .value=${words} @input=${find} />
      </label>
      <p class="quiet-text" role="status">${routes ? t('routes', { count: found.length }) : nothing}</p>
    </div>
    ${routes && found.length === 0 ? html`<p>${t('none')}</p>` : nothing}
    <nav aria-label=${t('groups')} class="groups">
      ${[...groups.keys()].map((tag) => html`<a href="#group-${tag}">${tag}</a> `)}
    </nav>
    ${Array.from(groups, group)}`
}

const group = ([tag, own]: [string, Route[]]): TemplateResult =>
  html`<section aria-labelledby="group-${tag}">
    <h2 id="group-${tag}">${tag}</h2>
    ${own.map(routeView)}
  </section>`

const routeView = (route: Route): TemplateResult =>
  html`<details
    class="route"
    id=${route.id}
    ?open=${shown.has(route.id)}
    @toggle=${({ target }: { target: HTMLDetailsElement }) => toggled(route.id, target.open)}
  >
    <summary>
      <span class="method ${route.method}">${route.method.toUpperCase()}</span>
      <code>${route.path}</code>
      <span class="purpose" lang="en">${route.operation.summary ?? ''}</span>
    </summary>
    ${shown.has(route.id) ? operationView(route, update) : nothing}
  </details>`

function toggled(id: string, isOpen: boolean): void {
  if (shown.has(id) === isOpen) return
  if (isOpen) shown.add(id)
  else shown.delete(id)
  update()
}

function find({ target }: { target: HTMLInputElement }): void {
  words = target.value
  setQuery({ q: words })
  update()
}

function matching(all: Route[]): Route[] {
  const wanted = words.toLowerCase().split(' ').filter(Boolean)
  return all.filter(({ method, path, operation }) => {
    const text = `${method} ${path} ${operation.summary ?? ''}`.toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
}
