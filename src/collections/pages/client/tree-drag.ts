import { html, nothing, type TemplateResult } from 'lit-html'
import type { TreeNode } from './api-types.ts'

/** A mouse must travel so far, so that a click stays a click (px). */
const FAR = 6
/** So long a finger holds a node before it is lifted, so that the tree can still be scrolled. */
const HOLD_MS = 350
/** So near to the tree's upper or lower edge, or past it, a lifted node scrolls the tree (px). */
const EDGE = 28
/** At most so far in one frame (px). */
const STEP = 9

type Drag = {
  node: (id: string) => TreeNode | undefined
  drop: (id: string, target: string) => void
  update: () => void
}

/** Moves nodes of the tree by pointer events: mouse, pen and touch alike. Esc gives up. */
export function createDrag({ node, drop, update }: Drag) {
  let held: { id: string; x: number; y: number; isLifted: boolean } | undefined
  let [over, at, isDropping] = [undefined as string | undefined, { x: 0, y: 0 }, false]
  let timer: ReturnType<typeof setTimeout> | undefined
  let tree: HTMLElement | undefined
  let frame = 0

  function down(event: PointerEvent): void {
    const id = (event.target as HTMLElement).closest<HTMLElement>('.node')?.dataset['node']
    if (id === undefined || event.button !== 0 || (event.target as HTMLElement).closest('.twist')) return
    held = { id, x: event.clientX, y: event.clientY, isLifted: false }
    at = { x: event.clientX, y: event.clientY }
    tree = event.currentTarget as HTMLElement
    if (event.pointerType !== 'mouse') timer = setTimeout(lift, HOLD_MS)
    addEventListener('pointermove', onMove)
    addEventListener('pointerup', onUp)
    addEventListener('pointercancel', stop)
    addEventListener('keydown', onKey)
  }

  function lift(): void {
    if (!held) return
    held.isLifted = true
    update()
  }

  /** A lifted node moves instead of the page. Browsers ask only listeners that were there before the touch. */
  const hold = {
    handleEvent: (event: TouchEvent) => {
      if (held?.isLifted) event.preventDefault()
    },
    passive: false,
  }

  function onMove(event: PointerEvent): void {
    if (!held) return
    at = { x: event.clientX, y: event.clientY }
    const isFar = Math.hypot(at.x - held.x, at.y - held.y) > FAR
    if (!held.isLifted && isFar && event.pointerType === 'mouse') held.isLifted = true
    else if (!held.isLifted && isFar) return stop()
    if (!held.isLifted) return
    aim()
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(scroll)
  }

  function aim(): void {
    const target = document.elementFromPoint(at.x, at.y)?.closest<HTMLElement>('.tree [data-node], .tree')
    over = target?.dataset['node'] === held?.id ? undefined : target?.dataset['node']
    update()
  }

  /** A tree is longer than its window: held at an edge it scrolls, the faster the nearer. */
  function scroll(): void {
    if (!held?.isLifted || !tree) return
    const { top, bottom } = tree.getBoundingClientRect()
    const past = Math.min(0, at.y - top - EDGE) + Math.max(0, at.y - bottom + EDGE)
    const before = tree.scrollTop
    tree.scrollTop += Math.max(-STEP, Math.min(STEP, Math.round(past / 3)))
    if (tree.scrollTop === before) return
    aim()
    frame = requestAnimationFrame(scroll)
  }

  function onUp(): void {
    const [id, target, isLifted] = [held?.id, over, held?.isLifted]
    stop()
    if (!isLifted) return
    // The click that ends a drag is none, and comes at once.
    isDropping = true
    setTimeout(() => (isDropping = false), 50)
    if (id !== undefined && target !== undefined) drop(id, target)
  }

  function onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') stop()
  }

  function stop(): void {
    clearTimeout(timer)
    cancelAnimationFrame(frame)
    ;[held, over] = [undefined, undefined]
    removeEventListener('pointermove', onMove)
    removeEventListener('pointerup', onUp)
    removeEventListener('pointercancel', stop)
    removeEventListener('keydown', onKey)
    update()
  }

  /** The name beside the pointer. A popover's place is set by script, which the policy for styles allows. */
  const ghost = (): TemplateResult | typeof nothing => {
    if (!held?.isLifted) return nothing
    const { x, y } = at
    queueMicrotask(() => {
      const element = document.querySelector<HTMLElement>('.ghost')
      if (element) element.style.translate = `${x + 12}px ${y + 12}px`
    })
    return html`<div class="ghost" aria-hidden="true" dir="auto">${node(held.id)?.name ?? ''}</div>`
  }

  return { down, hold, ghost, over: () => over, justDropped: () => isDropping }
}
