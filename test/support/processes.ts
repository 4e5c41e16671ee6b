import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Processes that name the folder in their command line or their environment. None where /proc is missing. */
export function processesOf(folder: string): { pid: number; command: string }[] {
  if (!existsSync('/proc')) return []
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .flatMap((pid) => {
      const command = readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
      const isOfFolder = command.includes(folder) || readText(`/proc/${pid}/environ`).includes(folder)
      return command !== '' && isOfFolder ? [{ pid, command }] : []
    })
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // the process has ended
  }
}
