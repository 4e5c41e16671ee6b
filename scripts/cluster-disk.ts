import { execFileSync } from 'node:child_process'
import { closeSync, cpSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk in memory, small enough to be filled. */
export type Disk = {
  /** Leaves no byte free. */
  fill: () => void
  empty: () => void
  /** Also while something is still open on it. With `isKept` its logs stay where it was. */
  remove: (isKept?: boolean) => void
}

const SIZE = '1g'
const CHUNK = Buffer.alloc(1 << 20)

export const isMountable = canMount()

export function mountDisk(folder: string): Disk {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0700`, 'lyceum-disk', folder])
  const ballast = join(folder, 'ballast')
  return {
    fill() {
      const file = openSync(ballast, 'a')
      try {
        // Whole chunks first, then single bytes of what is left.
        for (const chunk of [CHUNK, CHUNK.subarray(0, 4_096)]) fillWith(file, chunk)
      } finally {
        closeSync(file)
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    remove(isKept = false) {
      const aside = isKept ? mkdtempSync(`${folder}-`) : undefined
      const isLog = (path: string) => path === folder || path.endsWith('.log')
      if (aside) cpSync(folder, aside, { recursive: true, filter: isLog })
      execFileSync('umount', ['--lazy', folder])
    },
  }
}

function fillWith(file: number, chunk: Buffer) {
  try {
    for (;;) writeSync(file, chunk)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'lyceum-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'lyceum-disk', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
