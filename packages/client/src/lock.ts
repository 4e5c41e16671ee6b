/** Runs `work` while nobody else runs work of that name. */
export type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>

const waiting = new Map<string, Promise<unknown>>()

/** One after another in this process; the last of a name leaves nothing behind. */
const inProcess: Lock = (name, work) => {
  const turn = (waiting.get(name) ?? Promise.resolve()).then(work)
  const quiet: Promise<unknown> = turn
    .catch(() => {})
    .then(() => {
      if (waiting.get(name) === quiet) waiting.delete(name)
    })
  waiting.set(name, quiet)
  return turn
}

/** Across the tabs and workers of a browser by Web Locks, elsewhere in this process. */
export const ownLock: Lock = (name, work) => {
  const locks = globalThis.navigator?.locks
  // Node and Deno have locks of one process too, but no pages that could share them.
  return locks ? (locks.request(name, work) as ReturnType<typeof work>) : inProcess(name, work)
}
