/* What this browser remembers about how somebody likes a page. Never anything that the service must know or protect. */

const PREFIX = 'lyceum.'

/** What was remembered under the name, or undefined: browsers may forget, and may keep nothing at all. */
export function recall(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined
  } catch {
    return undefined
  }
}

/** Undefined forgets. */
export function remember(name: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(PREFIX + name)
    else localStorage.setItem(PREFIX + name, text)
  } catch {
    // It holds until the page is left.
  }
}
