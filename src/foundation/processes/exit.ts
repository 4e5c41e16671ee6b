import { constants } from 'node:os'

/** What ends a program from outside: kill, Ctrl-C, a closed terminal. */
export const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
export type Signal = (typeof SIGNALS)[number]

/** The exit code of a program that a signal ended, as shells report it. */
export const codeOf = (signal: Signal): number => 128 + constants.signals[signal]

const steps = new Set<() => Promise<unknown>>()

/**
 * `end` ends something that would outlive this process, such as a server that it started. It is called when the process
 * must exit at once, what was added last first. Returns what takes it back.
 */
export function atExit(end: () => Promise<unknown>): () => void {
  steps.add(end)
  return () => void steps.delete(end)
}

let isExiting = false

/** Ends what would outlive this process and exits, whatever is under way. Only the first call counts. */
export async function exitNow(code: number): Promise<void> {
  if (isExiting) return
  isExiting = true
  for (const end of [...steps].toReversed()) await end().catch(() => {})
  process.exit(code)
}

/** For a command that has nothing to finish: a signal ends it and all that it started. */
export function exitOnSignals(): void {
  for (const signal of SIGNALS) process.on(signal, () => void exitNow(codeOf(signal)))
}
