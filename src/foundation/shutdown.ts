import { clock } from './clock.ts'
import type { Logger } from './log.ts'
import { codeOf, exitNow, type Signal, SIGNALS } from './processes/exit.ts'

/**
 * Signals within this time of the first are the same wish (ms): Ctrl-C reaches every process of a terminal, and npm passes it
 * on to a program that has it already.
 */
const ONE_WISH_MS = 2_000

/**
 * Ends the program once: on a signal with code 0, on an uncaught exception or rejection with code 1. `stop` closes the
 * running parts in order and has `patience` seconds for it. A later signal exits at once, and even then nothing that the
 * program started outlives it.
 */
export function onShutdown(
  log: Logger,
  stop: (exitCode: number) => Promise<void>,
  patience: number,
): (reason: string, exitCode: number) => void {
  let stoppingSince: number | undefined
  const end = (reason: string, exitCode: number) => {
    if (stoppingSince !== undefined) return
    stoppingSince = clock.monotonic()
    log.info({ reason }, 'stopping')
    setTimeout(() => hurry('the stop takes too long', 1), patience * 1_000).unref()
    stop(exitCode).then(
      () => finish(log, exitCode),
      (error: unknown) => {
        log.error({ err: error }, 'the stop failed')
        finish(log, 1)
      },
    )
  }
  const hurry = (reason: string, exitCode: number) => {
    log.warn({ reason }, 'stopping at once')
    log.flush(() => void exitNow(exitCode))
  }
  const onSignal = (signal: Signal) => {
    if (stoppingSince === undefined) end(signal, 0)
    else if (clock.monotonic() > stoppingSince + ONE_WISH_MS) hurry(signal, codeOf(signal))
  }
  for (const signal of SIGNALS) process.on(signal, () => onSignal(signal))
  for (const fault of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(fault, (error: unknown) => {
      log.fatal({ err: error }, fault)
      end(fault, 1)
    })
  }
  return end
}

function finish(log: Logger, exitCode: number) {
  log.info('stopped')
  log.flush(() => void exitNow(exitCode))
}
