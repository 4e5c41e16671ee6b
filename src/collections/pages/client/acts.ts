import { html, nothing } from 'lit-html'
import { fault, get, send } from '#foundation/web/client/api.ts'
import { saveEdit } from '#foundation/web/client/conflict.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { takeFirst, texts } from '#foundation/web/client/page.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Collection, Member, Page, TreeNode } from './api-types.ts'
import { textIn } from './filters.ts'
import { collectionPath, membersOf } from './first-calls.ts'
import { createPicker } from './picker.ts'
import { TEXTS } from './texts.ts'

/* What can be done to a collection, each in a dialog. */

const t = texts(TEXTS)
/** The kinds of collections of this installation. */
const types = (takeFirst('types') ?? []) as readonly string[]
const NAMES_SHOWN = 5

const fieldsOf = (one?: Collection) =>
  html`<label
      >${t('name')} <input name="name" dir="auto" required maxlength="200" .value=${one?.name ?? ''}
    /></label>
    <label
      >${t('type')}
      <select name="type">
        ${[...new Set([...types, ...(one ? [one.type] : [])])].map((type) => html`<option ?selected=${type === one?.type}>${type}</option>`)}
      </select></label
    >
    <label
      >${t('description')}
      <textarea
        name="description"
        dir="auto"
        rows="3"
        maxlength="5000"
        .value=${one?.description ?? ''}
      ></textarea>
    </label>
    <label
      >${t('key')}
      <input
        name="external_key"
        dir="auto"
        maxlength="128"
        autocomplete="off"
        .value=${one?.external_key ?? ''}
      /><small>${t('key_hint')}</small></label
    >`

const inherits = (isOn: boolean) =>
  html`<label class="check"
    ><input type="checkbox" name="inherit_members" .checked=${isOn} /> ${t('inherit')}</label
  >`

const sentIn = (form: FormData, hasParent: boolean) => ({
  name: textIn(form, 'name'),
  type: textIn(form, 'type'),
  description: textIn(form, 'description').replaceAll('\r\n', '\n') || null,
  external_key: textIn(form, 'external_key') || null,
  ...(hasParent && { inherit_members: form.has('inherit_members') }),
})

export function createCollection(parent: TreeNode | undefined, done: (made: Collection) => void): void {
  openDialog({
    title: parent ? t('new_below') : t('new_collection'),
    submit: t('create'),
    draft: `collection.new.${parent?.id ?? 'root'}`,
    content: html`${fieldsOf()} ${parent ? inherits(true) : nothing}`,
    async act(form) {
      const body = { ...sentIn(form, parent !== undefined), ...(parent && { parent_id: parent.id }) }
      done(await send<Collection>('POST', '/api/collections', body))
    },
  })
}

export function editCollection(one: Collection, done: (changed: Collection) => void): void {
  const hasParent = one.hierarchy.depth > 0
  openDialog({
    title: t('edit'),
    submit: t('save'),
    draft: `collection.${one.id}`,
    content: html`${fieldsOf(one)} ${hasParent ? inherits(one.inherit_members) : nothing}`,
    async act(form) {
      const saved = await saveEdit<Collection>({
        was: one,
        yours: sentIn(form, hasParent),
        names: {
          name: t('name'),
          type: t('type'),
          description: t('description'),
          external_key: t('key'),
          inherit_members: t('inherit'),
        },
        read: () => get<Collection>(collectionPath(one.id)),
        save: (changes, version) => send<Collection>('PATCH', collectionPath(one.id), changes, version),
      })
      if (!saved) return false
      done(saved)
      return true
    },
  })
}

export function deleteCollection(one: Collection, done: () => void): void {
  const hasBelow = one.hierarchy.children_count > 0
  openDialog({
    title: t('delete_title', { name: one.name }),
    submit: t('remove'),
    isDangerous: true,
    typed: one.name,
    content: html`<p>${t('delete_text', { items: one.item_count })}</p>
      ${hasBelow ? html`<label class="check"><input type="checkbox" name="cascade" /> ${t('delete_below')}</label>` : nothing}`,
    async act(form) {
      const query = form.has('cascade') ? '?cascade=true' : ''
      await send('DELETE', collectionPath(one.id) + query)
      toast(t('deleted', { name: one.name }))
      done()
    },
  })
}

/** Asks where to, by name: what dragging does, without dragging. */
export function chooseParent(one: TreeNode, moved: (target: TreeNode | undefined) => void): void {
  const isBelow = (node: TreeNode) =>
    node.id === one.id || node.hierarchy.path.some(({ id }) => id === one.id)
  const picker = createPicker({
    ...(one.hierarchy.depth > 0 && { top: t('to_top') }),
    mayBe: (node) => !isBelow(node) && node.id !== one.hierarchy.parent_id && node.my_role !== 'viewer',
  })
  openDialog({
    title: t('move_title', { name: one.name }),
    submit: t('move_here'),
    content: html`${picker.element}`,
    act: async () => {
      const chosen = picker.chosen()
      if (chosen === undefined) throw fault(t('pick_first'))
      moved(chosen ?? undefined)
      return true
    },
  })
}

/** Says who would lose and who would get access, and moves when that is wanted. */
export async function moveCollection(
  node: TreeNode,
  target: TreeNode | undefined,
  done: () => void,
): Promise<void> {
  const one = await get<Collection>(collectionPath(node.id))
  const [here, there] = await Promise.all([
    get<Page<Member>>(membersOf(node.id)),
    target ? get<Page<Member>>(membersOf(target.id)) : undefined,
  ])
  const isCut = here.next_cursor !== null || (there?.next_cursor ?? null) !== null
  const above = one.inherit_members ? (there?.items ?? []) : []
  const loses = here.items.filter(
    ({ source, user_id }) => source === 'inherited' && !above.some((other) => other.user_id === user_id),
  )
  const gains = above.filter(({ user_id }) => !here.items.some((other) => other.user_id === user_id))
  const told = (key: 'loses' | 'gains', people: readonly Member[]) =>
    people.length === 0
      ? nothing
      : html`<p dir="auto">${t(key, { count: people.length, names: namesOf(people, isCut) })}</p>`
  openDialog({
    title: target
      ? t('move_into', { name: node.name, target: target.name })
      : t('move_top', { name: node.name }),
    submit: t('move'),
    content: html`${told('loses', loses)} ${told('gains', gains)}
    ${loses.length + gains.length === 0 ? html`<p>${one.inherit_members ? t('same_people') : t('not_inheriting')}</p>` : nothing}`,
    async act() {
      await send('PATCH', collectionPath(node.id), { parent_id: target?.id ?? null }, one.version)
      toast(t('moved', { name: node.name }))
      done()
    },
  })
}

function namesOf(people: readonly Member[], isCut: boolean): string {
  const shown = people.slice(0, NAMES_SHOWN).map(personOf)
  return [...shown, ...(isCut || people.length > NAMES_SHOWN ? [t('more_people')] : [])].join(', ')
}
export const personOf = ({
  display_name,
  email,
  user_id,
}: Pick<Member, 'display_name' | 'email' | 'user_id'>): string => display_name ?? email ?? user_id
