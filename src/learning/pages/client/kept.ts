/** What is kept on this device, by name. Storage may be forbidden or full: then nothing is kept, and nothing breaks. */
export function keep(name: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(`lyceum.${name}`)
    else localStorage.setItem(`lyceum.${name}`, typeof value === 'string' ? value : JSON.stringify(value))
  } catch {
    // Nothing to be done about it here.
  }
}

/** What was kept as JSON, or undefined. The caller checks what it is: other versions of the page may have written it. */
export function kept<T>(name: string): T | undefined {
  try {
    return (JSON.parse(localStorage.getItem(`lyceum.${name}`) ?? 'null') as T | undefined) ?? undefined
  } catch {
    return undefined
  }
}
