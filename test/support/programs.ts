import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import * as runner from 'node:test'

type Tests = Pick<typeof runner, 'describe' | 'test' | 'before' | 'after' | 'afterEach'>
type Body = () => unknown

/** Where Debian installs servers; not everybody's PATH names it. */
const OF_SERVERS = '/usr/sbin'
/** Not programs but what a machine is: no installation helps, so a run that must be whole does without them. */
const CONDITIONS: Record<string, () => boolean> = {
  Linux: () => process.platform === 'linux',
  root: () => process.getuid?.() === 0,
  'root on Linux': () => process.platform === 'linux' && process.getuid?.() === 0,
}

/**
 * The functions of node:test for tests that need programs which nobody has to install: `redis-server or valkey-server`.
 * Where none of them is on the PATH, no test is registered, and a line on the output says how many were not, for the
 * runner to repeat at its end. With CI set that is a failure instead. This is the only way to leave out a test
 * (`test/architecture.test.ts`).
 */
export function testsWith(needed: string, what: string): Tests {
  const condition = CONDITIONS[needed]
  if (condition ? condition() : needed.split(' or ').some(isOnPath)) return runner
  if (!condition && process.env['CI'])
    throw new Error(`The tests of ${what} need ${needed}, which is not on the PATH`)
  let tests = 0
  process.once('exit', () =>
    console.log(`NOT_RUN ${JSON.stringify({ what: `tests of ${what}`, programs: needed, tests })}`),
  )
  const count = () => void tests++
  const nothing = () => {}
  const describe = (...args: unknown[]) => void (args.findLast((arg) => typeof arg === 'function') as Body)()
  return { describe, test: count, before: nothing, after: nothing, afterEach: nothing } as unknown as Tests
}

function isOnPath(program: string): boolean {
  const path = process.env['PATH'] ?? ''
  const folder = [...path.split(delimiter), OF_SERVERS].find((one) => isProgram(join(one, program)))
  if (folder === OF_SERVERS) process.env['PATH'] = `${path}${delimiter}${OF_SERVERS}`
  return folder !== undefined
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
