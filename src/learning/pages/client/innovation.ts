import { texts } from '#foundation/web/client/language.ts'
import type { InnovationStatus, Page, RunResult, Suggestion, SuggestionStatus } from '../api-types.ts'
import { get, send } from './api.ts'
import { act, select } from './form.ts'
import { number, when } from './format.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { INNOVATION_TEXTS } from './innovation-texts.ts'
import { lazily } from './lazily.ts'
import { MODEL_TEXTS } from './model-texts.ts'
import { openPage } from './page.ts'
import { pager } from './parts.ts'
import { phrase } from './phrase.ts'
import { translated } from './refusals.ts'
import { empty } from './states.ts'
import { KINDS, kindWords } from './suggestion-kinds.ts'
import { toast } from './toast.ts'

const t = texts(INNOVATION_TEXTS)

const AGENTS = ['content', 'engagement'] as const
type Agent = (typeof AGENTS)[number]
const STATES: readonly SuggestionStatus[] = ['pending', 'approved', 'applied', 'rejected', 'expired']
const SEVERITIES = ['critical', 'warning', 'info'] as const

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
  const [status, found, { groupedSuggestions }] = await Promise.all([
    get<InnovationStatus>('/api/innovation/status'),
    get<Page<Suggestion>>(`/api/innovation/suggestions?${filter.toString()}`),
    lazily(import('./suggestion-groups.ts')),
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
    <section aria-label=${t('agents')}>
      <div class="agents">${AGENTS.map((agent) => agentCard(status, agent))}</div>
      ${modelLine(status)}
    </section>
    <section aria-label=${t('suggestions')}>
      <div class="inbox-head">
        <nav class="tabs" aria-label=${t('state')}>
          <ul>
            ${STATES.map((state) => html`<li><a href=${address({ status: state })} aria-current=${filter.get('status') === state ? 'page' : null}>${t(state)}</a></li>`)}
          </ul>
        </nav>
        <div class="filters">
          ${filterBy('agent_type', t('agent'), [['', t('both_agents')], ...AGENTS.map(named)])}
          ${filterBy('severity', t('pressing'), [['', t('any_severity')], ...SEVERITIES.map(named)])}
          ${filterBy('kind', t('kind'), [['', t('all_kinds')], ...kinds])}
          ${filterBy('channel_id', t('channel'), [['', t('all_channels')], ...places])}
        </div>
      </div>
      ${found.total > 0 ? groupedSuggestions(found.items, status.can_review, open) : nothing(status)}
      ${pager(found, (page) => address({ page: String(page) }))}
    </section>
  </div>`

  function filterBy(name: string, label: string, options: readonly Option[]) {
    const control = select(options, filter.get(name) ?? '')
    control.setAttribute('aria-label', label)
    control.addEventListener('change', () => location.assign(address({ [name]: control.value })))
    return control
  }
})

type Option = readonly [value: string, text: string]
const named = (word: Agent | (typeof SEVERITIES)[number]): Option => [word, t(word)]
const withAsked = (options: readonly Option[], asked: string | null): readonly Option[] =>
  asked === null || options.some(([value]) => value === asked) ? options : [...options, [asked, asked]]

const nothing = ({ can_run }: InnovationStatus) =>
  can_run ? empty(t('none_run')) : empty(t('none'), { text: t('your_channels'), href: '/channels?mine=1' })

function agentCard(status: InnovationStatus, agent: Agent): HTMLElement {
  const { last_run_at, pending } = status.agents[agent]
  const runner: HTMLElement = html`<button
    type="button"
    class="second small"
    onclick=${() => act(runner, run)}
  >
    ${t('run')}
  </button>`
  async function run() {
    runner.textContent = t('running')
    try {
      const { created, refreshed, expired, llm_error } = await send<RunResult>(
        'POST',
        `/api/innovation/run/${agent}`,
        {},
        { timeout_ms: RUN_MS },
      )
      const why = llm_error && t('without_model', { why: translated(MODEL_TEXTS, llm_error) })
      toast([t('ran', { count: created, refreshed, expired }), why].filter(Boolean).join(' '))
      await open()
    } finally {
      runner.textContent = t('run')
    }
  }
  return html`<article class="agent">
    <h2>${t(agent)}</h2>
    <p class="quiet-text">${t(`${agent}_text`)}</p>
    <p class="agent-facts">
      ${phrase(t, 'waiting', { count: pending, number: html`<strong>${number(pending)}</strong>` })} ·
      ${last_run_at ? html`<span>${phrase(t, 'last_run', { time: when(last_run_at) })}</span>` : t('never_run')}
    </p>
    ${status.can_run && runner}
  </article>`
}

function modelLine({
  configured,
  provider_host: host,
  model,
  last_success_at,
  last_error,
}: InnovationStatus) {
  const key = last_success_at ? 'model_answered' : 'model'
  return html`<p class="hint">
    ${
      configured
        ? html`<span
            >${icon('check')}
            ${phrase(t, key, { model, host, time: last_success_at && when(last_success_at) })}</span
          >`
        : t('no_model')
    }
    ${last_error && html`<span class="is-lacking">${icon('warn')}${translated(MODEL_TEXTS, last_error)}</span>`}
  </p>`
}
