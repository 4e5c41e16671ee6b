/** Stores a value on this device by name. Does nothing if storage is forbidden or full. */
export function keep(name: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(`lyceum.${name}`)
    else localStorage.setItem(`lyceum.${name}`, typeof value === 'string' ? value : JSON.stringify(value))
  } catch {
    // Storage is optional, so a failure is ignored.
  }
}

/** The stored JSON value, or undefined. Check its shape: another version of the page may have written it. */
export function kept<T>(name: string): T | undefined {
  try {
    return (JSON.parse(localStorage.getItem(`lyceum.${name}`) ?? 'null') as T | undefined) ?? undefined
  } catch {
    return undefined
  }
}
