import type { InnovationStatus, Page, RunResult, Suggestion, SuggestionStatus } from '../api-types.ts'
import { get, send } from './api.ts'
import { act, select } from './form.ts'
import { count, number, when } from './format.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { openPage } from './page.ts'
import { pager } from './parts.ts'
import { empty } from './states.ts'
import { groupedSuggestions } from './suggestion-groups.ts'
import { KINDS, kindWords } from './suggestion-kinds.ts'
import { toast } from './toast.ts'

type Agent = keyof InnovationStatus['agents']

const AGENTS: readonly (readonly [agent: Agent, name: string, words: string])[] = [
  ['content', 'Content', 'Looks at titles, videos, tests and how they are watched and answered'],
  ['engagement', 'Engagement', 'Looks at who has stopped coming, and where'],
]
const STATES: readonly (readonly [status: SuggestionStatus, text: string])[] = [
  ['pending', 'New'],
  ['approved', 'Approved'],
  ['applied', 'Applied'],
  ['rejected', 'Rejected'],
  ['expired', 'Settled'],
]
const SEVERITIES = [
  ['', 'Any severity'],
  ['critical', 'Critical'],
  ['warning', 'Warnings'],
  ['info', 'Hints'],
] as const

/** A page is read as a whole, by channel and kind. */
const PER_PAGE = 50
/** A language model may take 22 s. */
const RUN_MS = 60_000

const open = openPage(async ({ query }) => {
  const filter = new URLSearchParams({
    status: query.get('status') ?? 'pending',
    page: query.get('page') ?? '1',
    per_page: String(PER_PAGE),
  })
  for (const name of ['agent_type', 'severity', 'kind', 'channel_id'])
    if (query.get(name)) filter.set(name, query.get(name) ?? '')
  const [status, found] = await Promise.all([
    get<InnovationStatus>('/api/innovation/status'),
    get<Page<Suggestion>>(`/api/innovation/suggestions?${filter.toString()}`),
  ])
  // A channel or kind that is asked for stands in its list even if the list does not know it.
  const kinds = withAsked(
    KINDS.map((kind) => [kind, kindWords(kind)] as const),
    filter.get('kind'),
  )
  const places = withAsked(
    [...new Map(found.items.map((one) => [one.channel_id, one.channel_title]))],
    filter.get('channel_id'),
  )
  const address = (change: Record<string, string>) => {
    const next = new URLSearchParams(filter)
    next.delete('page')
    for (const [name, value] of Object.entries(change))
      if (value) next.set(name, value)
      else next.delete(name)
    return `/innovation?${next.toString()}`
  }
  return html`<div class="stack">
    <section aria-label="Agents">
      <div class="agents">${AGENTS.map(([agent, name, words]) => agentCard(status, agent, name, words))}</div>
      ${modelLine(status)}
    </section>
    <section aria-label="Suggestions">
      <div class="inbox-head">
        <nav class="tabs" aria-label="State">
          <ul>
            ${STATES.map(([state, text]) => html`<li><a href=${address({ status: state })} aria-current=${filter.get('status') === state ? 'page' : null}>${text}</a></li>`)}
          </ul>
        </nav>
        <div class="filters">
          ${filterBy('agent_type', 'Agent', [['', 'Both agents'], ...AGENTS.map(([agent, name]) => [agent, name] as const)])}
          ${filterBy('severity', 'How pressing', SEVERITIES)}
          ${filterBy('kind', 'Kind', [['', 'All kinds'], ...kinds])}
          ${filterBy('channel_id', 'Channel', [['', 'All channels'], ...places])}
        </div>
      </div>
      ${inbox(found, status)} ${pager(found, (page) => address({ page: String(page) }))}
    </section>
  </div>`

  function filterBy(name: string, label: string, options: readonly (readonly [string, string])[]) {
    const control = select(options, filter.get(name) ?? '')
    control.setAttribute('aria-label', label)
    control.addEventListener('change', () => location.assign(address({ [name]: control.value })))
    return control
  }
})

type Option = readonly [value: string, text: string]
const withAsked = (options: readonly Option[], asked: string | null): readonly Option[] =>
  asked === null || options.some(([value]) => value === asked) ? options : [...options, [asked, asked]]

function inbox({ items, total }: Page<Suggestion>, { can_review, can_run }: InnovationStatus): HTMLElement {
  if (total === 0)
    return can_run
      ? empty('Nothing here. Run an agent: it reads what is there and writes down what it would look at.')
      : empty(
          'Nothing here. Administrators run the agents; what they find in your channels is shown on this page.',
          {
            text: 'Your channels',
            href: '/channels?mine=1',
          },
        )
  return groupedSuggestions(items, can_review, open)
}

function agentCard(status: InnovationStatus, agent: Agent, name: string, words: string): HTMLElement {
  const { last_run_at, pending } = status.agents[agent]
  const runner: HTMLElement = html`<button
    type="button"
    class="second small"
    onclick=${() => act(runner, run)}
  >
    Run now
  </button>`
  async function run() {
    runner.textContent = 'Running…'
    try {
      const { created, refreshed, expired, llm_error } = await send<RunResult>(
        'POST',
        `/api/innovation/run/${agent}`,
        {},
        { timeout_ms: RUN_MS },
      )
      toast(
        `${count(created, 'new suggestion')}, ${refreshed} seen again, ${expired} settled.${llm_error ? ` Without the model: ${llm_error}` : ''}`,
      )
      await open()
    } finally {
      runner.textContent = 'Run now'
    }
  }
  return html`<article class="agent">
    <h2>${name}</h2>
    <p class="quiet-text">${words}</p>
    <p class="agent-facts">
      <strong>${number(pending)}</strong> new ·
      ${last_run_at ? html`<span>last run ${when(last_run_at)}</span>` : 'never run'}
    </p>
    ${status.can_run && runner}
  </article>`
}

const modelLine = ({ configured, provider_host, model, last_success_at, last_error }: InnovationStatus) =>
  html`<p class="hint">
    ${
      configured
        ? html`<span
            >${icon('check')} A language model helps with drafts: ${model} at
            ${provider_host}${last_success_at && html`<span>, last answered ${when(last_success_at)}</span>`}.</span
          >`
        : 'Everything here is computed from your data. No language model is connected.'
    }
    ${last_error && html`<span class="is-lacking">${icon('warn')}${last_error}</span>`}
  </p>`
