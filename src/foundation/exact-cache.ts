/**
 * Rows in memory that are never older than the last committed write. It holds only while this process is the sole
 * writer of the database and every writer calls `forget` after COMMIT and before its reply.
 */
export type ExactCache<K, V> = {
  /** The value, at once when it is in memory. Undefined: there is none; that answer is never kept. */
  get(key: K): V | undefined | Promise<V | undefined>
  /** The value if it is in memory; asks nobody. */
  peek(key: K): V | undefined
  /**
   * After COMMIT and before the reply, in a `finally`: COMMIT may have taken effect although its answer was lost. The
   * server decides it before it takes connections again, so no load can see the time before it.
   */
  forget(key: K): void
  /** The same for all values of one group, for a writer that knows the group but not the keys. */
  forgetGroup(group: string): void
  clear(): void
}

type Options<K, V> = {
  load: (key: K) => Promise<V | undefined>
  /** False while others may write as well: then every `get` loads. */
  isExact: () => boolean
  /** How many values are kept; the one kept longest leaves first. */
  max: number
  groupOf?: (value: V) => string
}

export function createExactCache<K, V>({ load, isExact, max, groupOf }: Options<K, V>): ExactCache<K, V> {
  const kept = new Map<K, V>()
  const groups = new Map<string, Set<K>>()
  /** What is being loaded; a load that is no longer in here when it ends was overtaken by a write. */
  const loading = new Map<K, Promise<V | undefined>>()

  function start(key: K): Promise<V | undefined> {
    const promise = load(key).then(
      (value) => {
        if (loading.get(key) === promise) {
          loading.delete(key)
          if (value !== undefined && isExact()) keep(key, value)
        }
        return value
      },
      (error: unknown) => {
        if (loading.get(key) === promise) loading.delete(key)
        throw error
      },
    )
    loading.set(key, promise)
    return promise
  }

  function keep(key: K, value: V) {
    if (kept.size >= max) for (const eldest of kept.keys()) return replace(eldest, key, value)
    kept.set(key, value)
    if (!groupOf) return
    const group = groupOf(value)
    const keys = groups.get(group)
    if (keys) keys.add(key)
    else groups.set(group, new Set([key]))
  }

  function replace(eldest: K, key: K, value: V) {
    drop(eldest)
    keep(key, value)
  }

  function drop(key: K) {
    const value = kept.get(key)
    if (value === undefined) return
    kept.delete(key)
    if (!groupOf) return
    const group = groupOf(value)
    const keys = groups.get(group)
    keys?.delete(key)
    if (keys?.size === 0) groups.delete(group)
  }

  function clear() {
    kept.clear()
    groups.clear()
    loading.clear()
  }

  return {
    get(key) {
      if (!isExact()) {
        // What others write from now on would be missed: nothing in memory outlives this moment.
        clear()
        return load(key)
      }
      return kept.get(key) ?? loading.get(key) ?? start(key)
    },
    peek: (key) => (isExact() ? kept.get(key) : undefined),
    forget(key) {
      loading.delete(key)
      drop(key)
    },
    forgetGroup(group) {
      // The group of a value that is being loaded is not known yet.
      loading.clear()
      for (const key of groups.get(group) ?? []) drop(key)
    },
    clear,
  }
}
