import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Processes that name the folder in their command line or their environment; without /proc, in their command line. */
export function processesOf(folder: string): { pid: number; command: string }[] {
  if (!existsSync('/proc')) return listed().filter(({ command }) => command.includes(folder))
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .flatMap((pid) => {
      const command = readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
      const isOfFolder = command.includes(folder) || readText(`/proc/${pid}/environ`).includes(folder)
      return command !== '' && isOfFolder ? [{ pid, command }] : []
    })
}

function listed(): { pid: number; command: string }[] {
  const lines = execFileSync('ps', ['-Awwo', 'pid=,args='], { encoding: 'utf8' }).trim().split('\n')
  return lines.map((line) => ({ pid: parseInt(line, 10), command: line.trim().replace(/^\d+ +/, '') }))
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // the process has ended
  }
}
