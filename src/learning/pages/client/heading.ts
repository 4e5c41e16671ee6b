import { html } from './html.ts'

/*
 * What stands above the content of a page: the breadcrumb trail and the heading. Both are set while data is loaded and shown
 * together with the content, in one frame, so that nothing on the page moves twice.
 */

let held: (() => void)[] | undefined

/** Keeps what is set from now on until `showHeading`. */
export const holdHeading = (): void => void (held = [])

export function showHeading(): void {
  const changes = held ?? []
  held = undefined
  for (const change of changes) change()
}

const show = (change: () => void) => (held ? void held.push(change) : change())

/** Sets the heading and the window title. */
export const setTitle = (title: string): void =>
  show(() => {
    const heading = document.querySelector('h1')
    if (heading) {
      heading.textContent = title
      heading.dir = 'auto'
    }
    document.title = `${title} · Lyceum`
  })

/** Sets the breadcrumb trail above the heading. Its place is in the HTML of the page. */
export const setTrail = (...steps: { href: string; text: string }[]): void =>
  show(() =>
    document
      .querySelector('.trail ol')
      ?.replaceChildren(
        ...steps.map(({ href, text }) => html`<li><a href=${href} dir="auto">${text}</a></li>`),
      ),
  )
