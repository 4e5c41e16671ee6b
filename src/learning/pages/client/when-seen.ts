/** Begins a little before it comes into sight (CSS). */
const EARLY = '100px'

/** Runs `load` once when the element comes near the visible part of the page: what nobody looks at asks for nothing. */
export function whenSeen(element: Element, load: () => void): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      load()
    },
    { rootMargin: EARLY },
  )
  observer.observe(element)
}
