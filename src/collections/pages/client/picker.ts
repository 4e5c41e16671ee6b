import { html, nothing, render, type TemplateResult } from 'lit-html'
import { get, refusalOf } from '#foundation/web/client/api.ts'
import { texts } from '#foundation/web/client/page.ts'
import type { Page, TreeNode } from './api-types.ts'
import { foundByName } from './first-calls.ts'
import { TEXTS } from './texts.ts'

const t = texts(TEXTS)
const PAUSE_MS = 200

/**
 * A field of a dialog to choose a collection by its name; its value is `collection_id`, empty for the top.
 * `top`: a choice besides the collections. `mayBe`: what can be chosen.
 */
export function createPicker({ top, mayBe }: { top?: string; mayBe?: (node: TreeNode) => boolean } = {}) {
  const place = document.createElement('div')
  let [typed, fault] = ['', '']
  let hits: TreeNode[] | undefined
  let chosen: TreeNode | undefined | 'top'
  let timer: ReturnType<typeof setTimeout> | undefined

  async function find(text: string): Promise<void> {
    try {
      const found = await get<Page<TreeNode>>(foundByName(text))
      if (text !== typed) return
      ;[hits, fault] = [found.items.filter((node) => mayBe?.(node) ?? true), '']
    } catch (error) {
      fault = refusalOf(error).message
    }
    show()
  }
  function type(event: Event): void {
    typed = (event.target as HTMLInputElement).value.trim()
    clearTimeout(timer)
    if (typed !== '') timer = setTimeout(() => void find(typed), PAUSE_MS)
    else hits = undefined
    show()
  }
  const choose = (one: TreeNode | 'top') => () => {
    chosen = one
    show()
  }
  const option = (one: TreeNode | 'top', text: TemplateResult | string) =>
    html`<label class="option"
      ><input type="radio" name="picked" .checked=${one === chosen} @change=${choose(one)} /><span dir="auto"
        >${text}</span
      ></label
    >`
  const show = () =>
    render(
      html`<label>${t('find')} <input type="search" autocomplete="off" @input=${type} /></label>
        <div class="options picks" role="radiogroup" aria-label=${t('find')}>
          ${top === undefined ? nothing : option('top', top)}
          ${hits?.map((node) =>
            option(
              node,
              html`${node.name}<small
                  >${node.hierarchy.path
                    .slice(0, -1)
                    .map(({ name }) => name)
                    .join(' / ')}</small
                >`,
            ),
          )}
        </div>
        <p role="status" class="quiet-text">${hits?.length === 0 ? t('nothing') : nothing}</p>
        ${fault ? html`<p class="fault" role="alert">${fault}</p>` : nothing}`,
      place,
    )
  show()
  return {
    element: place,
    /** The choice; undefined before there is one, null for the top. */
    chosen: (): TreeNode | null | undefined => (chosen === 'top' ? null : chosen),
  }
}
