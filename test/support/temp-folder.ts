import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from './endings.ts'

/** A new folder whose name begins with `name`, removed when the test file has ended. */
export function tempFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `lyceum-${name}-`))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
