import { AsyncLocalStorage } from 'node:async_hooks'
import { after } from 'node:test'

type Undo = () => unknown

const ofFile: Undo[] = []
const ofProcess: Undo[] = []
const forEverybody = new AsyncLocalStorage<true>()

/** Set by scripts/test.ts where one process runs many files and calls `endFile` and `endProcess` itself. */
const IN_LANE = 'LYCEUM_TEST_LANE'
const isLane = process.env[IN_LANE] !== undefined
delete process.env[IN_LANE]

/** Undoes something when the test file has ended, what was made last first. */
export const atEnd = (undo: Undo): void => void (forEverybody.getStore() ? ofProcess : ofFile).unshift(undo)

/** What `make` makes is shared by all files of this process, so `atEnd` inside it waits for the end of the process. */
export const shared = <T>(make: () => T): T => forEverybody.run(true, make)

export const endFile = () => undo(ofFile)
export const endProcess = () => undo(ofProcess)

async function undo(list: Undo[]) {
  for (let next = list.shift(); next; next = list.shift()) await next()
}

if (!isLane)
  after(async () => {
    await endFile()
    await endProcess()
  })
