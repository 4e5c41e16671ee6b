import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { MODEL_TEXTS } from '../src/learning/pages/client/model-texts.ts'
import { REFUSAL_TEXTS } from '../src/learning/pages/client/refusal-texts.ts'
import { SUGGESTION_ADVICE_TEXTS } from '../src/learning/pages/client/suggestion-advice-texts.ts'
import { SUGGESTION_KIND_TEXTS } from '../src/learning/pages/client/suggestion-kind-texts.ts'
import { SUGGESTION_TITLE_TEXTS } from '../src/learning/pages/client/suggestion-title-texts.ts'
import type { ApiError } from '#foundation/errors.ts'
import { fieldError } from '#foundation/http/field-faults.ts'
import { refuseOver } from '#foundation/rate-limit/limiter.ts'
import { LANGUAGES } from '#foundation/web/client/texts.ts'

const SRC = join(import.meta.dirname, '../src')
/** English is the sentence that the API itself answers with. */
const WITHOUT_ENGLISH = 'sso/core/pages/refusal-words.json'

type Entry = Record<string, unknown>
const isObject = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The texts of a file, each in all its languages, by the path of its key. */
function entriesOf(value: unknown, path: string): [path: string, entry: Entry][] {
  if (!isObject(value)) return []
  if ('de' in value) return [[path, value]]
  return Object.entries(value).flatMap(([key, inner]) =>
    entriesOf(inner, path === '' ? key : `${path}.${key}`),
  )
}

/** The strings of one language: a text, its plural forms, or its paragraphs. */
const stringsOf = (words: unknown): string[] =>
  typeof words === 'string' ? [words] : Object.values(words as Entry).flatMap(stringsOf)
const holesOf = (words: unknown) =>
  [...new Set(stringsOf(words).flatMap((text) => text.match(/\{\w+\}/g) ?? []))].toSorted()
const formsOf = (words: unknown) => (isObject(words) ? Object.keys(words).toSorted() : [])
const isPlural = (words: unknown) => formsOf(words).join() === 'one,other'

const files = globSync('**/*.json', { cwd: SRC }).filter((file) => !file.endsWith('tsconfig.json'))
const catalogues = files
  .map((file) => [file, entriesOf(JSON.parse(readFileSync(join(SRC, file), 'utf8')), '')] as const)
  .filter(([, entries]) => entries.length > 0)

test('the texts of pages and messages are in at least 13 files', () => assert.ok(catalogues.length >= 13))

describe('the catalogue', () => {
  for (const [file, entries] of catalogues)
    test(`${file} has every text in every language, with the same holes`, () => {
      const wanted = LANGUAGES.filter((language) => language !== 'en' || file !== WITHOUT_ENGLISH)
      for (const [path, entry] of entries) {
        assert.deepEqual(Object.keys(entry).toSorted(), wanted.toSorted(), path)
        for (const language of wanted) {
          const what = `${path} in ${language}`
          assert.ok(
            stringsOf(entry[language]).every((text) => text.trim() !== ''),
            what,
          )
          assert.deepEqual(holesOf(entry[language]), holesOf(entry['de']), what)
          if (!isPlural(entry[language]) && !isPlural(entry['de']))
            assert.deepEqual(formsOf(entry[language]), formsOf(entry['de']), what)
        }
      }
    })
})

const modules = await Promise.all(
  globSync('**/client/*-texts.ts', { cwd: SRC }).map(
    async (file) => [file, Object.values((await import(join(SRC, file))) as Entry).filter(isObject)] as const,
  ),
)

test('the texts of client modules are in at least 18 files', () => assert.ok(modules.length >= 18))

describe('the catalogue of client modules', () => {
  for (const [file, found] of modules)
    test(`${file} has every text in every language, with the same holes`, () => {
      assert.ok(found.length > 0)
      for (const catalogue of found as Record<string, Entry>[]) {
        assert.deepEqual(Object.keys(catalogue), LANGUAGES)
        const [en = {}] = Object.values(catalogue)
        for (const [language, said] of Object.entries(catalogue)) {
          assert.deepEqual(Object.keys(said).toSorted(), Object.keys(en).toSorted(), language)
          for (const [key, text] of Object.entries(said)) {
            const what = `${key} in ${language}`
            assert.ok(
              stringsOf(text).every((one) => one.trim() !== ''),
              what,
            )
            assert.deepEqual(holesOf(text), holesOf(en[key]), what)
            if (isObject(text)) assert.ok(isPlural(text), what)
          }
        }
      }
    })
})

function limitReached(): string {
  try {
    refuseOver({ admitted: false, retryAfter: 10, buckets: [] })
    return ''
  } catch (error) {
    return (error as ApiError).detail
  }
}

test('what pages of learning translate is what the service says', () => {
  const served = globSync('{learning,foundation}/**/*.ts', {
    cwd: SRC,
    exclude: ['**/client/**', '**/*.test.ts'],
  })
  const ranges = ['>=', '<='].map((comparison) =>
    fieldError({ keyword: 'minimum', instancePath: '', schemaPath: '', params: { comparison, limit: 5 } }),
  )
  const source = [
    ...served.map((file) => readFileSync(join(SRC, file), 'utf8')),
    ...ranges.map(({ message }) => message),
    limitReached(),
  ].join('\n')
  // These and plural forms are put together there; agents.test.ts compares them with what is said.
  const { title_placeholder: _, title_placeholder_channel: __, ...titles } = SUGGESTION_TITLE_TEXTS.en
  const known = [
    ...Object.values(REFUSAL_TEXTS.en),
    ...Object.values(MODEL_TEXTS.en),
    ...Object.values(SUGGESTION_ADVICE_TEXTS.en),
    ...Object.values(titles).filter((text) => typeof text === 'string'),
  ]
  for (const said of known)
    for (const piece of said.split(/\{\w+\}/)) assert.ok(source.includes(piece.trim()), said)
})

test('every kind of suggestion that the guide names has a name and a title', () => {
  const guide = readFileSync(join(SRC, '../docs/learning.md'), 'utf8')
  const [, part = ''] = /## The innovation agents([^]*?)\n## /.exec(guide) ?? []
  const named = Array.from(part.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g), ([, kind = '']) => kind)
  const kinds = Object.keys(SUGGESTION_KIND_TEXTS.en)
  assert.deepEqual(
    kinds.filter((kind) => !named.includes(kind) || !(kind in SUGGESTION_TITLE_TEXTS.en)),
    [],
  )
  assert.deepEqual(
    named.filter((name) => !kinds.includes(name)),
    ['llm_error', 'use_model'],
  )
})

test('an SMS is one message in every language, with the longest site code', () => {
  const { sms_code } = JSON.parse(readFileSync(join(SRC, 'sso/core/messages/letters.json'), 'utf8'))
  for (const language of LANGUAGES) {
    const [text = ''] = sms_code[language].text
    const sent = text.replace('{code}', '123456').replace('{site_code}', 'x'.repeat(40))
    assert.ok(sent.length <= 160, sent)
    // The alphabet of GSM 03.38: any other letter halves what fits.
    assert.match(sent, /^[A-Za-z0-9äöüÄÖÜß .,:-]+$/)
  }
})
