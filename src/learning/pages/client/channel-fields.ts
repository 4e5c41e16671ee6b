import type { Channel, ChannelChange } from '../api-types.ts'
import { field, select, tick } from './form.ts'
import { html } from './html.ts'
import { cover, languageName } from './parts.ts'
import { area, isTicked, listIn, numberIn, textIn, textOrNull } from './read.ts'

const LEVELS = [
  ['all', 'For everybody'],
  ['beginner', 'Beginner'],
  ['intermediate', 'Intermediate'],
  ['advanced', 'Advanced'],
] as const
const VISIBILITIES = [
  ['public', 'Everybody and devices'],
  ['tenant', 'People of this installation'],
  ['private', 'Only those already in it'],
] as const
const COMMON_LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'pl',
  'ru',
  'zh',
  'ja',
  'ko',
  'ar',
  'he',
  'hi',
  'tr',
  'uk',
]

/** The title, description and catalogue fields. */
export function aboutFields(channel: Channel | undefined) {
  const picture = html`<div class="picture-preview"></div>`
  const show = () => {
    const url = thumbnail.value.trim()
    picture.replaceChildren(cover(title.value || 'New', url || null))
  }
  const title = html`<input
    required
    maxlength="200"
    autocomplete="off"
    value=${channel?.title ?? ''}
    oninput=${() => show()}
  />` as HTMLInputElement
  const thumbnail = html`<input
    inputmode="url"
    maxlength="2048"
    value=${channel?.thumbnail_url ?? ''}
    oninput=${() => show()}
  />` as HTMLInputElement
  const languages = html`<datalist id="languages">
    ${COMMON_LANGUAGES.map((tag) => html`<option value=${tag}>${languageName(tag)}</option>`)}
  </datalist>`
  show()
  return html`<div class="fields">
    ${field({ name: 'title', label: 'Title', control: title })}
    ${field({
      name: 'description',
      label: 'Description',
      hint: 'What one will be able to do afterwards, and for whom it is. Markdown works: **bold**, lists, links.',
      isOptional: true,
      control: area(channel?.description ?? '', 10_000),
    })}
    <div class="field-row">
      ${field({
        name: 'language',
        label: 'Language',
        hint: 'A tag such as en or pt-BR',
        control: html`<input
          required
          maxlength="35"
          list="languages"
          autocomplete="off"
          value=${channel?.language ?? 'en'}
        />`,
      })}
      ${field({ name: 'level', label: 'Level', control: select(LEVELS, channel?.level ?? 'all') })}
      ${field({
        name: 'category',
        label: 'Category',
        isOptional: true,
        control: html`<input maxlength="80" value=${channel?.category ?? ''} />`,
      })}
    </div>
    ${languages}
    ${field({
      name: 'tags',
      label: 'Tags',
      hint: 'Up to 20, with commas between them',
      isOptional: true,
      control: html`<input value=${channel?.tags.join(', ') ?? ''} />`,
    })}
    <div class="with-picture">
      ${field({
        name: 'thumbnail_url',
        label: 'Address of a picture',
        hint: '16:9, for the catalogue and for devices',
        isOptional: true,
        control: thumbnail,
      })}
      ${picture}
    </div>
  </div>`
}

/** The rules of visibility, enrollment, completion and passing. */
export function rulesFields(channel: Channel | undefined) {
  const weights = channel?.grade_weights ?? null
  return html`<div class="fields rules">
    <div class="field-row">
      ${field({ name: 'visibility', label: 'Who can see it', control: select(VISIBILITIES, channel?.visibility ?? 'public') })}
      ${field({
        name: 'enrollment',
        label: 'Enrollment',
        control: select(
          [
            ['open', 'Anybody may join'],
            ['closed', 'Nobody new'],
          ],
          channel?.enrollment ?? 'open',
        ),
      })}
      ${
        channel &&
        field({
          name: 'status',
          label: 'State',
          control: select(
            [
              ['draft', 'Draft'],
              ['published', 'Published'],
              ['archived', 'Archived'],
            ],
            channel.status,
          ),
        })
      }
    </div>
    ${tick('sequential', 'Episodes open one after the other', channel?.sequential ?? false, 'Each waits until the one before it is completed')}
    <div class="field-row">
      ${field({
        name: 'completion_threshold',
        label: 'Watched is completed from',
        hint: 'Percent of the video; end credits are no content',
        control: html`<input
          type="number"
          min="50"
          max="100"
          step="0.1"
          required
          value=${Math.round((channel?.completion_threshold ?? 0.9) * 1_000) / 10}
        />`,
      })}
      ${field({
        name: 'passing_percent',
        label: 'Passed from',
        hint: 'Percent of the points',
        control: html`<input
          type="number"
          min="0"
          max="100"
          step="0.01"
          required
          value=${channel?.passing_percent ?? 60}
        />`,
      })}
    </div>
    <fieldset class="field" data-field="grade_weights">
      <legend class="label">Weight of homework and tests</legend>
      <p class="hint">Empty: every point counts the same, wherever it was earned.</p>
      <div class="field-row">
        ${field({
          name: 'weight_homework',
          label: 'Homework',
          isOptional: true,
          control: html`<input
            type="number"
            min="0"
            max="100"
            step="0.01"
            value=${weights?.homework ?? ''}
          />`,
        })}
        ${field({
          name: 'weight_tests',
          label: 'Tests',
          isOptional: true,
          control: html`<input type="number" min="0" max="100" step="0.01" value=${weights?.tests ?? ''} />`,
        })}
      </div>
    </fieldset>
  </div>`
}

/** All form fields except the episodes, in the form PUT takes. */
export function sentChannel(form: HTMLElement) {
  const [homework, tests] = [numberIn(form, 'weight_homework'), numberIn(form, 'weight_tests')]
  // Episode fields also have the name `status`, so the selector is limited to the rules.
  const state = form.querySelector<HTMLSelectElement>('.rules [name="status"]')?.value
  return {
    title: textIn(form, 'title'),
    description: textIn(form, 'description'),
    language: textIn(form, 'language').trim(),
    level: textIn(form, 'level') as Channel['level'],
    category: textOrNull(form, 'category'),
    tags: listIn(form, 'tags'),
    thumbnail_url: textOrNull(form, 'thumbnail_url'),
    visibility: textIn(form, 'visibility') as Channel['visibility'],
    enrollment: textIn(form, 'enrollment') as Channel['enrollment'],
    sequential: isTicked(form, 'sequential'),
    completion_threshold: Math.round((numberIn(form, 'completion_threshold') ?? 90) * 10) / 1_000,
    passing_percent: numberIn(form, 'passing_percent'),
    grade_weights:
      homework === null && tests === null ? null : { homework: homework ?? 0, tests: tests ?? 0 },
    ...(state && { status: state as Channel['status'] }),
  } satisfies ChannelChange
}
