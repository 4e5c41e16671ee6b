import { html, nothing, type TemplateResult } from 'lit-html'
import { get, getFile, refusalOf, send } from '#foundation/web/client/api.ts'
import { openPage, setQuery, takeFirst, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { badge } from '#foundation/web/client/parts.ts'
import { saveFile } from '#foundation/web/client/save-file.ts'
import { toast } from '#foundation/web/client/toast.ts'
import { createViews } from '#foundation/web/client/views.ts'
import { chooseParent, createCollection, deleteCollection, editCollection, moveCollection } from './acts.ts'
import { goTo, search, setList } from './address.ts'
import type { Collection, Item, Me, TreeNode } from './api-types.ts'
import { createBatch } from './batch.ts'
import { parsed, flat } from './fields.ts'
import { createFilters, textIn } from './filters.ts'
import { collectionPath, isOfList, itemPath, listQuery } from './first-calls.ts'
import { createFinder } from './finder.ts'
import { createGrid } from './grid.ts'
import { createGridColumns } from './grid-columns.ts'
import { createRows } from './grid-rows.ts'
import { createItemPanel, saveItem } from './item-panel.ts'
import { createMembers, roleName } from './members.ts'
import { createPaste } from './paste.ts'
import { createPicked } from './picked.ts'
import { createSharedViews } from './shared-views.ts'
import { TEXTS } from './texts.ts'
import { createTree } from './tree.ts'

/* Collections: the tree at the left, the items or members of one collection in the middle, one item at the right. */

const t = texts(TEXTS)
const me = (takeFirst('me') ?? { user_id: '', is_site_admin: false }) as Me

let collection: Collection | undefined
let fault = ''
let shown: ReturnType<typeof openItems> | undefined

const update = openPage(view)
const id = () => search().get('collection')
const tab = () => search().get('tab') ?? 'items'
const mayEdit = () => me.is_site_admin || collection?.my_role === 'editor' || collection?.my_role === 'admin'
const isAdmin = () => me.is_site_admin || collection?.my_role === 'admin'
const nameOf = (collection_id: string) =>
  tree.known(collection_id)?.name ?? collection?.hierarchy.path.find((one) => one.id === collection_id)?.name

const tree = createTree({
  current: id,
  open: (node) => void openCollection(node.id),
  move,
  update: () => update(),
})
const members = createMembers({
  collection: () => collection,
  me,
  nameOf,
  changed: (hasLeft) => void (hasLeft ? lose() : loadCollection()),
  update: () => update(),
})
const panel = createItemPanel({
  mayEdit,
  nameOf,
  goTo: (collection_id) => void openCollection(collection_id),
  changed: (item) => shown?.rows.put(item),
  closed: (item_id) => shown?.grid.reveal(item_id),
  update: () => update(),
})

const finder = createFinder(
  (collection_id, item_id) => void openCollection(collection_id, item_id),
  () => update(),
)

/** The table of one collection. Another collection has other columns, and begins without anything picked. */
function openItems(collection_id: string) {
  const changed = () => {
    columns.learn(rows.here())
    grid.show()
    update()
  }
  const rows = createRows(collection_id, search, changed)
  const columns = createGridColumns(collection_id, changed)
  const picked = createPicked(changed)
  const reload = () => {
    grid.toTop()
    void rows.reload()
  }
  /** Other rows match now than those that were picked. */
  const refilter = () => {
    picked.clear()
    reload()
  }
  const filters = createFilters(columns.keys, refilter)
  const show = (query: URLSearchParams) => {
    setList(query, isOfList)
    refilter()
    update()
  }
  const views = createViews({
    place: `collections.${collection_id}`,
    now: () => new URLSearchParams(listQuery(search())).toString(),
    apply: show,
    leaveOut: 'item',
    shared: createSharedViews(collection_id, { mayEdit, update: () => update() }),
    update: () => update(),
  })
  const batch = createBatch({
    collection_id: () => collection_id,
    search,
    rows: () => rows,
    picked,
    keys: columns.keys,
    done: () => void afterChange(rows),
  })
  const { paste } = createPaste({
    collection_id,
    rows: () => rows,
    columns: columns.shown,
    done: () => afterChange(rows),
  })
  const grid = createGrid({
    label: t('items'),
    rows,
    columns: columns.shown,
    picked,
    mayEdit,
    sort: () => search().get('sort') ?? undefined,
    sortBy(sort) {
      setQuery({ sort })
      reload()
    },
    open: (item) => void panel.open(item.id),
    openId: panel.id,
    paste,
    save: saveCell,
    empty: () => html`<p class="empty">${filters.areSet() ? t('no_hits') : t('no_items')}</p>`,
  })
  /** Changes of one item wait for each other, or they would conflict with oneself. */
  const saving = new Map<string, Promise<void>>()
  function saveCell(item: Item, field: string, typed: string): Promise<void> {
    const before = saving.get(item.id) ?? Promise.resolve()
    const own = before.then(() => saveNow(rows.find(item.id) ?? item, field, typed))
    saving.set(item.id, own)
    return own
  }
  async function saveNow(item: Item, field: string, typed: string): Promise<void> {
    try {
      const found = await saveItem(item, { [field]: parsed(typed, flat(item)[field], field) })
      if (!found) return grid.reopen(item, field, typed)
      rows.put(found.item)
      panel.took(found.item)
    } catch (error) {
      await refused(error)
      if (collection) grid.reopen(item, field, typed)
    }
  }
  return { collection_id, rows, columns, picked, filters, views, batch, grid, refilter }
}

/** A refusal of something that was done. Whoever lost the right to see it is told so, and shown nothing of it any more. */
async function refused(error: unknown): Promise<void> {
  const { status, message } = refusalOf(error)
  toast(message)
  if (status === 403 || status === 404) await loadCollection()
}

async function afterChange(rows: ReturnType<typeof createRows>): Promise<void> {
  await Promise.all([rows.reload(), loadCollection()])
}

async function openCollection(to: string, item_id?: string): Promise<void> {
  panel.close()
  goTo({
    collection: to,
    ...(item_id === undefined && tab() !== 'items' && { tab: tab() }),
    ...(item_id && { item: item_id }),
  })
  await show()
}

/** Shows what the address says. */
async function show(): Promise<void> {
  const asked = id()
  if (asked !== collection?.id) collection = undefined
  shown = asked && tab() === 'items' ? (shown?.collection_id === asked ? shown : openItems(asked)) : undefined
  fault = ''
  update()
  if (!asked) return showWithout()
  await Promise.all([loadCollection(), tab() === 'members' ? members.load() : shown?.rows.reload()])
  const item_id = search().get('item')
  if (item_id && panel.id() !== item_id) await panel.open(item_id)
  else if (!item_id) panel.leave()
}

/** No collection is named: an item leads to one of its own, and words to items of all. */
async function showWithout(): Promise<void> {
  const item_id = search().get('item')
  if (!item_id) return finder.load()
  try {
    const [place] = (await get<Item>(itemPath(item_id))).collection_ids
    if (place) await openCollection(place, item_id)
  } catch (error) {
    fault = refusalOf(error).message
    update()
  }
}

async function loadCollection(): Promise<void> {
  const asked = id()
  if (!asked) return
  try {
    const found = await get<Collection>(collectionPath(asked))
    if (id() !== asked) return
    collection = found
    setTitle(found)
    await tree.reveal(found.hierarchy.path)
  } catch (error) {
    const { status, message } = refusalOf(error)
    if (status === 403 || status === 404) lose()
    else fault = message
  }
  update()
}

function lose(): void {
  ;[collection, shown] = [undefined, undefined]
  panel.close()
  goTo({})
  fault = t('lost')
  void tree.load()
  update()
}

function setTitle({ name }: Collection): void {
  document.title = `${name} · Lyceum`
  const heading = document.querySelector('h1')
  if (heading) heading.textContent = name
}

function move(node: TreeNode, target: TreeNode | undefined): void {
  moveCollection(node, target, () => {
    if (target) tree.isOpenAt(target.id)
    void tree.refresh(node.hierarchy.parent_id, target?.id)
    if (node.id === id()) void loadCollection()
  }).catch(refused)
}

function create(parent: TreeNode | undefined): void {
  createCollection(parent, (made) => {
    if (parent) tree.isOpenAt(parent.id)
    void tree.refresh(parent?.id)
    void openCollection(made.id)
  })
}

async function addItem(event: SubmitEvent): Promise<void> {
  event.preventDefault()
  const form = event.target as HTMLFormElement
  const name = textIn(new FormData(form), 'name')
  if (!collection || name === '') return
  try {
    const made = await send<Item>('POST', `${collectionPath(collection.id)}/items`, { name })
    form.reset()
    toast(t('added', { name: made.name }), { text: t('edit'), run: () => void panel.open(made.id) })
    if (shown) await afterChange(shown.rows)
  } catch (error) {
    await refused(error)
  }
}

/** A link cannot carry the token, so the file comes by a call. */
async function download(path: string, name: string): Promise<void> {
  try {
    saveFile(await getFile(path), name)
  } catch (error) {
    await refused(error)
  }
}

function view(): TemplateResult {
  return html`<div class="browse ${panel.id() === null ? '' : 'with-item'}">
    <section class="side" aria-label=${t('find')}>
      <div class="bar">
        <button type="button" class="second small" @click=${() => create(undefined)}>
          ${t('new_collection')}
        </button>
      </div>
      ${tree.view()}
    </section>
    <div class="center">${middle()}</div>
    ${panel.view()}
  </div>`
}

function middle(): TemplateResult {
  if (fault) return html`<p class="fault" role="alert">${fault}</p>`
  if (!id())
    return html`<p class="quiet-text">${t('choose')}</p>
      ${finder.view()}`
  return html`${head()} ${tab() === 'members' ? members.view() : items()}`
}

function head(): TemplateResult {
  const found = collection
  const href = (to: string) =>
    `?${new URLSearchParams({ collection: id() ?? '', ...(to !== 'items' && { tab: to }) }).toString()}`
  const link = (to: 'items' | 'members', text: string) =>
    html`<a
      href=${href(to)}
      aria-current=${tab() === to ? 'page' : nothing}
      @click=${(event: Event) => {
        event.preventDefault()
        goTo({ collection: id() ?? '', ...(to !== 'items' && { tab: to }) })
        panel.close()
        void show()
      }}
      >${text}</a
    >`
  return html`<div class="collection-head">
      <p class="trail" dir="auto">
        ${
          found
            ? found.hierarchy.path.map(
                ({ id: above, name }) =>
                  html`<a
                      href="?collection=${above}"
                      @click=${(event: Event) => {
                        event.preventDefault()
                        void openCollection(above)
                      }}
                      >${name}</a
                    >
                    / `,
              )
            : nothing
        }${found ? html`${found.type} ${found.my_role ? badge(t('your_role', { role: roleName(found.my_role) }), 'none') : nothing}` : nothing}
      </p>
      ${found?.description ? html`<p class="described" dir="auto">${found.description}</p>` : nothing}
    </div>
    <div class="bar middle tools">
      <nav class="tabs" aria-label=${t('actions')}>
        ${link('items', t('items'))} ${link('members', t('share'))}
      </nav>
      ${found ? actsOf(found) : nothing}
    </div>`
}

function actsOf(found: Collection): TemplateResult {
  const reload = (next: Collection) => {
    collection = next
    setTitle(next)
    void tree.refresh(next.hierarchy.parent_id)
    update()
  }
  const act = (text: string, run: () => void, look = 'second small') =>
    html`<button type="button" class=${look} @click=${run}>${text}</button>`
  const exported = `${collectionPath(found.id)}/export`
  return html`${mayEdit() ? html`<a class="button" href="/uploads?collection=${found.id}">${t('upload')}</a>` : nothing}
    ${mayEdit() ? act(t('new_below'), () => create(found)) : nothing}
    <details class="menu">
      <summary>${t('actions')}</summary>
      <div class="menu-list" @click=${closeMenu}>
        ${isAdmin() ? act(t('edit'), () => editCollection(found, reload), 'quiet') : nothing}
        ${isAdmin() ? act(t('move'), () => chooseParent(found, (target) => move(found, target)), 'quiet') : nothing}
        ${act(`${t('export')}: ${t('as_xlsx')}`, () => void download(`${exported}?include_subtree=true`, `${found.name}.xlsx`), 'quiet')}
        ${act(`${t('export')}: ${t('as_csv')}`, () => void download(`${exported}?format=csv&include_subtree=true`, `${found.name}.csv`), 'quiet')}
        ${act(`${t('export')}: ${t('as_jsonl')}`, () => void download(`${exported}?format=jsonl&include_subtree=true`, `${found.name}.jsonl`), 'quiet')}
        ${act(`${t('export')}: ${t('as_csv_tree')}`, () => void download(`${exported}?format=csv&sheet=collections&include_subtree=true`, `${found.name}-collections.csv`), 'quiet')}
        ${
          isAdmin()
            ? act(
                t('remove'),
                () =>
                  deleteCollection(found, () => {
                    void tree.refresh(found.hierarchy.parent_id)
                    goTo({})
                    void show()
                  }),
                'quiet bad',
              )
            : nothing
        }
      </div>
    </details>`
}

const closeMenu = ({ currentTarget }: Event) =>
  (currentTarget as HTMLElement).closest('details')?.removeAttribute('open')

function items(): TemplateResult {
  if (!shown) return html``
  const { rows, columns, filters, views, batch, grid } = shown
  const toggleSubtree = (event: Event) => {
    setQuery({ include_subtree: (event.target as HTMLInputElement).checked ? 'true' : undefined })
    shown?.refilter()
  }
  return html`<div class="bar items-tools">
      ${filters.view()}
      <label class="check"
        ><input type="checkbox" .checked=${search().has('include_subtree')} @change=${toggleSubtree} />
        ${t('subtree')}</label
      >
      ${views()} ${columns.chooser(t('columns'))}
    </div>
    ${grid.element}
    <div class="grid-foot">
      <span role="status">${rows.isLoaded() ? t('total', { count: rows.total() }) : t('loading')}</span>
      ${mayEdit() ? html`<form class="add-item" @submit=${addItem}><input name="name" dir="auto" maxlength="300" autocomplete="off" aria-label=${t('add_item_name')} placeholder=${t('add_item_name')} /><button class="small">${t('add_item')}</button></form>` : nothing}
    </div>
    ${batch.view(mayEdit())}`
}

addEventListener('popstate', () => void show())
openPaletteByKey()
void Promise.all([tree.load(), show()])
