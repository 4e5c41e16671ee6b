import { language, texts } from '#foundation/web/client/language.ts'
import type { Channel, ChannelChange } from '../api-types.ts'
import { CHANNEL_FORM_TEXTS } from './channel-form-texts.ts'
import { field, select, tick } from './form.ts'
import { html } from './html.ts'
import { markdownField } from './markdown-field.ts'
import { cover, languageName } from './parts.ts'
import { isTicked, listIn, numberIn, textIn, textOrNull } from './read.ts'
import { pictureUploader } from './upload.ts'

const t = texts(CHANNEL_FORM_TEXTS)
const LEVELS = [
  ['all', t('level_all')],
  ['beginner', t('level_beginner')],
  ['intermediate', t('level_intermediate')],
  ['advanced', t('level_advanced')],
] as const
const VISIBILITIES = [
  ['public', t('public')],
  ['tenant', t('tenant')],
  ['private', t('private')],
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

/** A common language is written by its name, any other by its tag. */
const writtenLanguage = (tag: string) => (COMMON_LANGUAGES.includes(tag) ? languageName(tag) : tag)
function languageTag(text: string): string {
  const wanted = text.toLowerCase()
  return COMMON_LANGUAGES.find((tag) => languageName(tag).toLowerCase() === wanted) ?? text
}

/** The title, description and catalogue fields. */
export function aboutFields(channel: Channel | undefined) {
  const picture = html`<div class="picture-preview"></div>`
  const show = () => {
    const url = thumbnail.value.trim()
    picture.replaceChildren(cover(title.value || t('new'), url || null))
  }
  const title = html`<input
    required
    maxlength="200"
    autocomplete="off"
    value=${channel?.title ?? ''}
    onchange=${() => show()}
  />` as HTMLInputElement
  const thumbnail = html`<input
    inputmode="url"
    maxlength="2048"
    value=${channel?.thumbnail_url ?? ''}
    oninput=${() => show()}
  />` as HTMLInputElement
  const languages = html`<datalist id="languages">
    ${COMMON_LANGUAGES.map((tag) => html`<option value=${languageName(tag)}></option>`)}
  </datalist>`
  show()
  return html`<div class="fields">
    ${field({ name: 'title', label: t('title'), control: title })}
    ${markdownField({ name: 'description', label: t('description'), hint: t('description_hint'), value: channel?.description ?? '', max: 10_000 })}
    <div class="field-row">
      ${field({
        name: 'language',
        label: t('language'),
        hint: t('language_hint'),
        control: html`<input
          required
          maxlength="35"
          list="languages"
          autocomplete="off"
          value=${writtenLanguage(channel?.language ?? language)}
        />`,
      })}
      ${field({ name: 'level', label: t('level'), control: select(LEVELS, channel?.level ?? 'all') })}
      ${field({
        name: 'category',
        label: t('category'),
        isOptional: true,
        control: html`<input maxlength="80" value=${channel?.category ?? ''} />`,
      })}
    </div>
    ${languages}
    ${field({
      name: 'tags',
      label: t('tags'),
      hint: t('tags_hint'),
      isOptional: true,
      control: html`<input value=${channel?.tags.join(', ') ?? ''} />`,
    })}
    <div class="with-picture">
      <div>
        ${field({
          name: 'thumbnail_url',
          label: t('picture'),
          hint: t('picture_hint'),
          isOptional: true,
          control: thumbnail,
        })}
        ${channel && pictureUploader(channel.id, thumbnail)}
      </div>
      ${picture}
    </div>
   `
}

/** The rules of visibility, enrollment, completion and passing. */
export function rulesFields(channel: Channel | undefined) {
  const weights = channel?.grade_weights ?? null
  return html`<div class="fields rules">
    <div class="field-row">
      ${field({ name: 'visibility', label: t('visibility'), control: select(VISIBILITIES, channel?.visibility ?? 'public') })}
      ${field({
        name: 'enrollment',
        label: t('enrollment'),
        control: select(
          [
            ['open', t('open')],
            ['closed', t('closed')],
          ],
          channel?.enrollment ?? 'open',
        ),
      })}
      ${
        channel &&
        field({
          name: 'status',
          label: t('status'),
          control: select(
            [
              ['draft', t('draft')],
              ['published', t('published')],
              ['archived', t('archived')],
            ],
            channel.status,
          ),
        })
      }
    </div>
    ${tick('sequential', t('sequential'), channel?.sequential ?? false, t('sequential_hint'))}
    <div class="field-row">
      ${field({
        name: 'completion_threshold',
        label: t('completed_from'),
        hint: t('completed_hint'),
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
        label: t('passed_from'),
        hint: t('passed_hint'),
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
      <legend class="label">${t('weights')}</legend>
      <p class="hint">${t('weights_hint')}</p>
      <div class="field-row">
        ${field({
          name: 'weight_homework',
          label: t('homework'),
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
          label: t('tests'),
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
    language: languageTag(textIn(form, 'language').trim()),
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
