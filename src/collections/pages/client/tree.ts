import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf } from '#foundation/web/client/api.ts'
import { number } from '#foundation/web/client/format.ts'
import { recall, remember } from '#foundation/web/client/memory.ts'
import { texts } from '#foundation/web/client/page.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Page, TreeNode } from './api-types.ts'
import { childrenOf, foundByName } from './first-calls.ts'
import { createDrag } from './tree-drag.ts'
import { TREE_TEXTS } from './tree-texts.ts'

const t = texts(TREE_TEXTS)
const ROOT = 'root'
const OPEN = 'collections.open'
/** Branches that are opened again at the next visit. */
const REMEMBERED = 30
const PAUSE_MS = 200

type Branch = { ids: string[]; next: string | null; total: number }
type Tree = {
  current: () => string | null
  open: (node: TreeNode) => void
  /** Asks whether to move `node` below `target`, or to the top without one. */
  move: (node: TreeNode, target: TreeNode | undefined) => void
  update: () => void
}

/**
 * The tree of collections. Branches load when they are opened; arrow keys move and open, Enter shows a collection. A node
 * is moved by mouse, or by touch after a moment of holding it.
 */
export function createTree({ current, open, move, update }: Tree) {
  const nodes = new Map<string, TreeNode>()
  const branches = new Map<string, Branch>()
  const isOpen = new Set(recall(OPEN)?.split(',').filter(Boolean))
  let [filter, hits, fault, focused] = ['', undefined as string[] | undefined, '', '']
  let timer: ReturnType<typeof setTimeout> | undefined
  const drag = createDrag({
    node: (id) => nodes.get(id),
    drop: (id, target) => {
      const node = nodes.get(id)
      const onto = target === ROOT ? undefined : nodes.get(target)
      if (node && (target === ROOT || onto)) move(node, onto)
    },
    update,
  })

  async function load(parent: string, cursor?: string): Promise<void> {
    try {
      const page = await get<Page<TreeNode>>(childrenOf(parent, cursor))
      for (const node of page.items) nodes.set(node.id, node)
      const before = cursor === undefined ? [] : (branches.get(parent)?.ids ?? [])
      const ids = [...before, ...page.items.map(({ id }) => id)]
      branches.set(parent, { ids, next: page.next_cursor, total: page.total })
      fault = ''
      update()
      const again = page.items.filter(
        ({ id, hierarchy }) => isOpen.has(id) && hierarchy.children_count > 0 && !branches.has(id),
      )
      await Promise.all(again.map(({ id }) => load(id)))
    } catch (error) {
      fault = refusalOf(error).message
      update()
    }
  }

  function toggle(node: TreeNode, to = !isOpen.has(node.id)): void {
    if (to) isOpen.add(node.id)
    else isOpen.delete(node.id)
    remember(OPEN, [...isOpen].slice(-REMEMBERED).join(','))
    if (to && !branches.has(node.id)) void load(node.id)
    update()
  }

  function typeFilter(event: Event): void {
    filter = (event.target as HTMLInputElement).value.trim()
    clearTimeout(timer)
    timer = setTimeout(() => void find(filter), PAUSE_MS)
  }

  async function find(text: string): Promise<void> {
    try {
      const found = text === '' ? undefined : await get<Page<TreeNode>>(foundByName(text))
      if (text !== filter) return
      for (const node of found?.items ?? []) nodes.set(node.id, nodes.get(node.id) ?? node)
      hits = found?.items.map(({ id }) => id)
    } catch (error) {
      toast(refusalOf(error).message)
    }
    update()
  }

  const view = (): TemplateResult => {
    const roots = branches.get(ROOT)
    return html`<input
        class="tree-filter"
        type="search"
        aria-label=${t('filter')}
        placeholder=${t('filter')}
        @input=${typeFilter}
      />
      ${fault ? html`<p class="fault" role="alert">${fault} <button class="second small" @click=${() => load(ROOT)}>${t('again')}</button></p>` : nothing}
      ${
        hits
          ? found(hits)
          : html`<ul
              class="tree ${drag.over() === ROOT ? 'drop' : ''}"
              role="tree"
              aria-label=${t('tree')}
              @keydown=${onKey}
              @pointerdown=${drag.down}
              @touchmove=${drag.hold}
              data-node=${ROOT}
            >
              ${roots ? branch(roots, ROOT, 1) : Array.from({ length: 8 }, () => html`<li class="skeleton"><i></i></li>`)}
            </ul>`
      }
      ${!hits && roots?.ids.length === 0 ? html`<p class="empty">${t('none')}</p>` : nothing} ${drag.ghost()}`
  }

  const found = (ids: readonly string[]) =>
    html`<ul class="tree hits-by-name">
      ${ids
        .flatMap((id) => nodes.get(id) ?? [])
        .map(
          (node) =>
            html`<li>
              <a
                href="?collection=${node.id}"
                dir="auto"
                @click=${(event: Event) => {
                  event.preventDefault()
                  open(node)
                }}
                >${node.name}<small>${node.hierarchy.path.map(({ name }) => name).join(' / ')}</small></a
              >
            </li>`,
        )}
      <li role="status" class="quiet-text">${ids.length === 0 ? t('nothing') : nothing}</li>
    </ul>`

  const branch = ({ ids, next, total }: Branch, parent: string, level: number): TemplateResult =>
    html`${ids.map((id) => nodes.get(id)).map((node) => (node ? leaf(node, level) : nothing))}
    ${next === null ? nothing : html`<li role="none"><button type="button" class="quiet small" @click=${() => load(parent, next)}>${t('more', { count: total - ids.length })}</button></li>`}`

  const leaf = (node: TreeNode, level: number): TemplateResult => {
    const { id, hierarchy } = node
    const below = branches.get(id)
    const isShown = hierarchy.children_count > 0 && isOpen.has(id)
    return html`<li role="none">
      ${row(node, level)}
      ${
        isShown
          ? html`<ul role="group">
              ${below ? branch(below, id, level + 1) : html`<li role="none" class="skeleton"><i></i></li>`}
            </ul>`
          : nothing
      }
    </li>`
  }

  const row = (node: TreeNode, level: number): TemplateResult => {
    const { id, name, item_count } = node
    const opens = node.hierarchy.children_count > 0
    return html`<div
      role="treeitem"
      aria-level=${level}
      aria-expanded=${opens ? String(isOpen.has(id)) : nothing}
      aria-selected=${id === current()}
      class="node ${opens ? 'opens' : ''} ${id === current() ? 'current' : ''} ${drag.over() === id ? 'drop' : ''}"
      tabindex=${id === (focused || current() || branches.get(ROOT)?.ids[0]) ? 0 : -1}
      data-node=${id}
      @focus=${() => (focused = id)}
      @click=${(event: Event) => {
        if (drag.justDropped()) return
        if ((event.target as HTMLElement).closest('.twist')) toggle(node)
        else open(node)
      }}
    >
      <span class="twist" aria-hidden="true"></span>
      <span class="node-name" dir="auto">${name}</span>
      <span class="node-count" data-count=${item_count === 0 ? '' : number(item_count)}></span>
    </div>`
  }

  function onKey(event: KeyboardEvent): void {
    const item = (event.target as HTMLElement).closest<HTMLElement>('[role=treeitem]')
    const node = nodes.get(item?.dataset['node'] ?? '')
    if (!item || !node || event.target !== item) return
    const all = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role=treeitem]')]
    const at = all.indexOf(item)
    const opens = node.hierarchy.children_count > 0
    const to: Record<string, () => void> = {
      ArrowDown: () => all[at + 1]?.focus(),
      ArrowUp: () => all[at - 1]?.focus(),
      Home: () => all[0]?.focus(),
      End: () => all.at(-1)?.focus(),
      ArrowRight: () => (opens && !isOpen.has(node.id) ? toggle(node, true) : opens && all[at + 1]?.focus()),
      ArrowLeft: () =>
        isOpen.has(node.id) && opens
          ? toggle(node, false)
          : item.closest('ul')?.parentElement?.querySelector<HTMLElement>(':scope > .node')?.focus(),
      Enter: () => open(node),
      ' ': () => open(node),
    }
    const act = to[event.key]
    if (!act) return
    event.preventDefault()
    act()
    update()
  }

  return {
    view,
    load: () => load(ROOT),
    known: (id: string) => nodes.get(id),
    /** What changed below these: they are asked again. */
    async refresh(...parents: (string | null | undefined)[]): Promise<void> {
      const asked = parents.map((parent) => (parent && nodes.has(parent) ? parent : ROOT))
      await Promise.all(
        [...new Set([...asked, ROOT])]
          .filter((one) => one === ROOT || branches.has(one) || isOpen.has(one))
          .map((one) => load(one)),
      )
    },
    /** Opens the branches that lead to a collection. */
    async reveal(path: readonly { id: string }[]): Promise<void> {
      for (const { id } of path) {
        isOpen.add(id)
        if (!branches.has(id)) await load(id)
      }
      update()
    },
    isOpenAt: (id: string) => isOpen.add(id),
  }
}
