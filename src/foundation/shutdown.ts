import type { Logger } from './log.ts'

/**
 * Ends the program once: on SIGTERM or SIGINT with code 0, on an uncaught exception or rejection with code 1. A second
 * signal exits at once. `stop` closes the running parts in order,
 * and has `patience` seconds for it.
 */
export function onShutdown(
  log: Logger,
  stop: (exitCode: number) => Promise<void>,
  patience: number,
): (reason: string, exitCode: number) => void {
  let isStopping = false
  const end = (reason: string, exitCode: number) => {
    if (isStopping) return
    isStopping = true
    log.info({ reason }, 'stopping')
    setTimeout(() => process.exit(1), patience * 1_000).unref()
    stop(exitCode).then(
      () => finish(log, exitCode),
      (error: unknown) => {
        log.error({ err: error }, 'the stop failed')
        finish(log, 1)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(130)
      end(signal, 0)
    })
  }
  for (const fault of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(fault, (error: unknown) => {
      log.fatal({ err: error }, fault)
      end(fault, 1)
    })
  }
  return end
}

function finish(log: Logger, exitCode: number) {
  log.flush(() => process.exit(exitCode))
}
