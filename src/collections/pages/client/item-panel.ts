import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf, send } from '#foundation/web/client/api.ts'
import { saveEdit } from '#foundation/web/client/conflict.ts'
import { keepDraft } from '#foundation/web/client/draft.ts'
import { ago } from '#foundation/web/client/format.ts'
import { texts } from '#foundation/web/client/page.ts'
import { facts } from '#foundation/web/client/parts.ts'
import { toast } from '#foundation/web/client/toast.ts'
import { setQuery } from './address.ts'
import type { Collection, Item } from './api-types.ts'
import { bodyOf, flat, type Flat, isMetadata, metadataField, nameOfField, parsed, textOf } from './fields.ts'
import { textIn } from './filters.ts'
import { collectionPath, itemPath } from './first-calls.ts'
import { descriptionField, descriptionText } from './item-description.ts'
import { createItemHistory } from './item-history.ts'
import { TEXTS } from './texts.ts'

const t = texts(TEXTS)
/** Names of collections that are asked for one by one. */
const MOST_PLACES = 12

type Panel = {
  mayEdit: () => boolean
  nameOf: (collection_id: string) => string | undefined
  goTo: (collection_id: string) => void
  changed: (item: Item) => void
  closed: (item_id: string) => void
  update: () => void
}

/**
 * Saves fields of an item; whoever was faster is shown field by field. `is_saved` is false for somebody who took what the
 * others wrote. Undefined when nothing was decided.
 */
export async function saveItem(
  item: Item,
  yours: Partial<Flat>,
): Promise<{ item: Item; is_saved: boolean } | undefined> {
  let [saved, is_saved] = [undefined as Item | undefined, false]
  const read = async () => {
    saved = await get<Item>(itemPath(item.id))
    return flat(saved)
  }
  const was = flat(item)
  const names = Object.keys({ ...was, ...yours }).filter((field) => field !== 'version')
  const result = await saveEdit<Flat>({
    was,
    yours,
    names: Object.fromEntries(names.map((field) => [field, titleOf(field)])),
    read,
    async save(changes, version) {
      saved = await send<Item>('PATCH', itemPath(item.id), bodyOf(changes), version)
      is_saved = true
      return flat(saved)
    },
  })
  return result === undefined ? undefined : { item: saved ?? item, is_saved: is_saved || !saved }
}

export const titleOf = (field: string): string =>
  field === 'name' || field === 'description'
    ? t(field)
    : field === 'external_key'
      ? t('key')
      : nameOfField(field)

/** One item at the right: all of its fields, and every collection that it lives in. */
export function createItemPanel({ mayEdit, nameOf, goTo, changed, closed, update }: Panel) {
  let item: Item | undefined
  let [id, fault] = [undefined as string | undefined, '']
  const places = new Map<string, string>()
  let draft: ReturnType<typeof keepDraft> | undefined

  const history = createItemHistory({
    mayEdit,
    titleOf,
    changed: took,
    update,
  })

  /** Others changed it, or somebody did so elsewhere on this page. */
  function took(found: Item): void {
    changed(found)
    if (id !== found.id) return
    take(found)
    const form = document.querySelector<HTMLFormElement>('.item-form')
    if (form) refill(form, found)
  }

  async function open(item_id: string): Promise<void> {
    draft?.stop()
    draft = undefined
    ;[id, item, fault] = [item_id, undefined, '']
    setQuery({ item: item_id })
    update()
    setTimeout(() => document.querySelector<HTMLElement>('.item-panel')?.focus())
    try {
      const found = await get<Item>(itemPath(item_id))
      if (id !== item_id) return
      take(found)
      await namePlaces(found)
    } catch (error) {
      if (id === item_id) fault = refusalOf(error).message
    }
    update()
  }

  function take(found: Item): void {
    item = found
    update()
    setTimeout(() => {
      const form = document.querySelector<HTMLFormElement>('.item-form')
      if (form && item === found && mayEdit()) draft ??= keepDraft(form, `item.${found.id}`)
    })
  }

  async function namePlaces({ collection_ids }: Item): Promise<void> {
    for (const place of collection_ids.slice(0, MOST_PLACES)) {
      const known = nameOf(place) ?? places.get(place)
      places.set(place, known ?? (await get<Collection>(collectionPath(place))).name)
    }
  }

  function close(): void {
    const was = id
    if (was === undefined) return
    draft?.stop()
    ;[id, item, draft] = [undefined, undefined, undefined]
    setQuery({ item: undefined })
    closed(was)
    update()
  }

  /** The address has no item any more. */
  function leave(): void {
    if (id === undefined) return
    draft?.stop()
    ;[id, item, draft] = [undefined, undefined, undefined]
    update()
  }

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const was = item
    if (!was) return
    const form = new FormData(event.target as HTMLFormElement)
    const before = flat(was)
    const fields = ['name', 'external_key', 'description', ...metadataIn(was)]
    const yours = Object.fromEntries(
      fields.map((field) => {
        const typed = textIn(form, field).replaceAll('\r\n', '\n')
        const old = before[field]
        return [field, typed === textOf(old) ? (old ?? null) : parsed(typed, old, field)]
      }),
    ) as Partial<Flat>
    const [key, value] = [textIn(form, 'new-key').toLowerCase(), textIn(form, 'new-value')]
    if (key !== '' && value !== '') yours[metadataField(key)] = parsed(value, undefined, key)
    fault = ''
    const kept = draft
    try {
      const found = await saveItem(was, yours)
      if (!found) return
      kept?.forget()
      kept?.stop()
      changed(found.item)
      if (found.is_saved) toast(t('saved'))
      // Somebody may have opened another item meanwhile.
      if (id !== was.id) return
      draft = undefined
      take(found.item)
      refill(event.target as HTMLFormElement, found.item)
      void history.refresh(was.id)
    } catch (error) {
      const { message } = refusalOf(error)
      if (id === was.id) fault = message
      else toast(message)
    }
    update()
  }

  /** The fields show what stands now, whatever was typed. */
  function refill(form: HTMLFormElement, { metadata, ...fields }: Item): void {
    for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('[name]')) {
      const { name } = field
      const value = isMetadata(name)
        ? metadata[nameOfField(name)]
        : fields[name as 'name' | 'description' | 'external_key']
      field.value = textOf(value)
    }
  }

  const view = (): TemplateResult | typeof nothing => {
    if (id === undefined) return nothing
    return html`<aside
      class="panel item-panel"
      aria-labelledby="item-title"
      tabindex="-1"
      @keydown=${(event: KeyboardEvent) => {
        if (event.key === 'Escape' && !event.defaultPrevented) close()
      }}
    >
      <div class="panel-head">
        <h2 id="item-title" dir="auto">${item?.name ?? t('item')}</h2>
        <button type="button" class="quiet" @click=${close}>${t('close')}</button>
      </div>
      ${fault ? html`<p class="fault" role="alert">${fault}</p>` : nothing}
      ${item ? body(item) : fault ? nothing : html`<p class="quiet-text">${t('loading')}</p>`}
    </aside>`
  }

  const body = (shown: Item) => {
    const isOpen = mayEdit()
    return html`<form class="item-form" @submit=${submit}>
        ${isOpen ? nothing : html`<p class="quiet-text">${t('read_only')}</p>`}
        <label
          >${t('name')}
          <input name="name" dir="auto" required maxlength="300" .value=${shown.name} ?readonly=${!isOpen}
        /></label>
        <label
          >${t('key')}
          <input
            name="external_key"
            dir="auto"
            maxlength="128"
            .value=${textOf(shown.external_key)}
            ?readonly=${!isOpen}
        /></label>
        ${isOpen ? descriptionField(shown, update) : descriptionText(shown)}
        ${metadataIn(shown).map((field) => metadataRow(shown, field, isOpen))}
        ${
          isOpen
            ? html`<fieldset class="new-field">
                  <legend>${t('field_new')}</legend>
                  <label
                    >${t('field_name')}
                    <input
                      name="new-key"
                      pattern="[a-z0-9][a-z0-9_.\\-]*"
                      maxlength="64"
                      autocomplete="off"
                      .value=${''}
                  /></label>
                  <label
                    >${t('field_value')} <input name="new-value" dir="auto" maxlength="4000" .value=${''}
                  /></label>
                </fieldset>
                <div class="actions"><button>${t('save')}</button></div>`
            : nothing
        }
      </form>
      ${facts([
        [t('changed'), ago(shown.updated_at)],
        [t('made'), ago(shown.created_at)],
      ])}
      <h3>${t('lives_in')}</h3>
      <ul class="places">
        ${shown.collection_ids.map(
          (place) =>
            html`<li>
              <a
                href="?collection=${place}"
                dir="auto"
                @click=${(event: Event) => {
                  event.preventDefault()
                  goTo(place)
                }}
                >${nameOf(place) ?? places.get(place) ?? '…'}</a
              >
            </li>`,
        )}
      </ul>
      ${history.view(shown.id)}`
  }

  const metadataRow = (shown: Item, field: string, isOpen: boolean) => {
    const value = textOf(shown.metadata[nameOfField(field)])
    return html`<label
      >${nameOfField(field)}
      ${
        value.includes('\n') || value.length > 80
          ? html`<textarea name=${field} dir="auto" rows="3" .value=${value} ?readonly=${!isOpen}></textarea>`
          : html`<input name=${field} dir="auto" .value=${value} ?readonly=${!isOpen} />`
      }</label
    >`
  }

  return {
    open,
    close,
    leave,
    view,
    id: () => id ?? null,
    item: () => item,
    took: (found: Item) => (item?.id === found.id ? take(found) : undefined),
  }
}

const metadataIn = ({ metadata }: Item): string[] => Object.keys(metadata).toSorted().map(metadataField)
