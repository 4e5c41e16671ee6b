import { closeSync, constants, copyFileSync, fchownSync, fstatSync, ftruncateSync, openSync } from 'node:fs'
import type { Place } from './place.ts'

/** Bytes of one file; with the one before it the disk never holds much more than twice as many. */
const LARGEST_LOG = 10 * 1024 * 1024
const HOUR = 3_600_000

/** The server's own log, opened for appending. Under root the folder is not ours, so no link in it is followed. */
export function openServerLog({ log, account }: Place): number {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants
  const file = openSync(log, O_APPEND | O_CREAT | O_NOFOLLOW | O_RDWR, 0o600)
  if (account) fchownSync(file, account.uid, account.gid)
  return file
}

/** Cuts the log now and every hour, until the returned function is called. The server appends, so it goes on writing. */
export function keepLogSmall(place: Place): () => void {
  const cut = () => {
    const file = openServerLog(place)
    if (fstatSync(file).size > LARGEST_LOG) {
      copyFileSync(place.log, `${place.log}.1`)
      ftruncateSync(file)
    }
    closeSync(file)
  }
  cut()
  const timer = setInterval(cut, HOUR).unref()
  return () => clearInterval(timer)
}
