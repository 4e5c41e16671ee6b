import { html, nothing, type TemplateResult } from 'lit-html'
import { texts } from '../../web/client/page.ts'
import { codeSample, jsonView } from '../../web/client/parts.ts'
import type { Operation } from './description.ts'
import { headerOf, schemesOf } from './credentials.ts'
import { errorsOf } from './errors.ts'
import { exampleOf, type Schema } from './example.ts'
import { type Field, fieldsOf, notesOf, typeName } from './fields.ts'
import { REFERENCE_TEXTS } from './reference-texts.ts'
import { samplesOf } from './samples.ts'
import { trial } from './trial.ts'

const t = texts(REFERENCE_TEXTS)
type Route = { id: string; method: string; path: string; operation: Operation }

/** What a route shows, made when it is first opened. */
const made = new Map<string, () => TemplateResult>()

export function operationView(route: Route, update: () => void): TemplateResult {
  const view = made.get(route.id) ?? create(route, update)
  made.set(route.id, view)
  return view()
}

function create({ id, method, path, operation }: Route, update: () => void): () => TemplateResult {
  const { parameters = [], requestBody, responses = {} } = operation
  const schemes = schemesOf(operation)
  const body = requestBody?.content['application/json']?.schema as Schema | undefined
  const form = requestBody?.content['multipart/form-data']?.schema as Schema | undefined
  const example = body && JSON.stringify(exampleOf(body), null, 2)
  const [scheme] = schemes
  const sample = codeSample(
    t('samples'),
    samplesOf({
      origin: location.origin,
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase()),
      headers: scheme ? headerOf(scheme, scheme === 'bearer' ? 'ACCESS_TOKEN' : 'SITE_KEY') : {},
      ...(example !== undefined && { body: example }),
      ...(form && { file: fileOf(form) }),
    }),
  )
  const answers = Object.entries(responses).filter(([status]) => !/XX$/i.test(status))
  const errors = errorsOf(method, operation)
  const attempt = trial({ id, method, path, operation, example, file: form && fileOf(form) }, update)
  return () =>
    html`<div class="operation">
      ${
        schemes.length > 0
          ? html`<p>${t('needs')} ${schemes.map((one) => t(`needs_${one}`)).join(` ${t('or')} `)}.</p>`
          : nothing
      }
      ${parameters.length > 0 ? table(t('parameters'), parameters.map(parameterField)) : nothing}
      ${(body ?? form) ? table(t('body'), fieldsOf((body ?? form)!)) : nothing} ${sample()} ${attempt()}
      ${answers.map(([status, { content }]) => answer(status, content))}
      <h3>${t('errors')}</h3>
      ${errors.map(
        (one) =>
          html`<details class="error">
            <summary><code>${one.status}</code> <span lang="en">${one.meaning}</span></summary>
            ${jsonView(JSON.stringify(one.body), `${t('example')} ${one.status}`)}
          </details>`,
      )}
    </div>`
}

const fileOf = ({ properties = {} }: Schema): string =>
  Object.entries(properties).find(([, { format }]) => format === 'binary')?.[0] ?? 'file'

type Parameter = NonNullable<Operation['parameters']>[number]
function parameterField({ name, in: place, required, schema }: Parameter): Field {
  const at = t(place === 'path' ? 'in_path' : place === 'query' ? 'in_query' : 'in_header')
  const given = (schema ?? {}) as Schema
  const notes = [at, notesOf(given)].filter(Boolean).join('; ')
  return { name, type: typeName(given), is_required: required === true, notes }
}

const table = (title: string, fields: readonly Field[]): TemplateResult =>
  fields.length === 0
    ? html`${nothing}`
    : html`<h3>${title}</h3>
        <div class="scroll" tabindex="0" role="region" aria-label=${title}>
          <table class="fields">
            <thead>
              <tr>
                <th scope="col">${t('name')}</th>
                <th scope="col">${t('type')}</th>
                <th scope="col">${t('notes')}</th>
              </tr>
            </thead>
            <tbody lang="en">
              ${fields.map(
                ({ name, type, is_required, notes }) =>
                  html`<tr>
                    <th scope="row"><code>${name}</code></th>
                    <td>${type}${is_required ? html` <strong>${t('required')}</strong>` : nothing}</td>
                    <td>${notes}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>`

type Content = NonNullable<NonNullable<Operation['responses']>[string]['content']>
function answer(status: string, content: Content | undefined): TemplateResult {
  const title = t('answer', { status })
  const schema = content?.['application/json']?.schema as Schema | undefined
  if (!schema)
    return html`<h3>${title}</h3>
      <p>${Object.keys(content ?? {}).join(', ') || t('no_body')}</p>`
  return html`${table(title, fieldsOf(schema))}
  ${jsonView(JSON.stringify(exampleOf(schema, true)), `${t('example')} ${status}`)}`
}
