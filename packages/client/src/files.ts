import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import type { Lock } from './lock.ts'
import type { Tokens, TokenStore } from './tokens.ts'

/** Whoever holds a lock says so this often; what is older was left by a process that died (ms). */
const BEAT_MS = 2_000
const STALE_MS = 10_000

const isCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code

/** Tokens in a file that only this user reads, for several processes; with `fileLock` they renew in turn. */
export const fileTokens = (path: string): TokenStore => ({
  name: path,
  async get() {
    try {
      return JSON.parse(await readOwn(path)) as Tokens
    } catch (error) {
      if (isCode(error, 'ENOENT')) return undefined
      throw error
    }
  },
  async set(tokens) {
    if (tokens === undefined) return rm(path, { force: true })
    // In a folder of several users nobody can have put a link or a file there before.
    const fresh = `${path}.${randomUUID()}.new`
    await writeFile(fresh, JSON.stringify(tokens), { mode: 0o600, flag: 'wx' })
    await rename(fresh, path)
  },
})

/** Of nobody else: with the tokens of a stranger, who only has to make the file first, calls would work in their name. */
async function readOwn(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    const { uid } = await file.stat()
    const own = process.getuid?.()
    if (own !== undefined && uid !== own && uid !== 0) throw new Error(`${path} belongs to another user`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/** A lock between the processes of a machine: a folder, which only one of them can make. */
export const fileLock =
  (path: string): Lock =>
  async (_name, work) => {
    while (!(await take(path))) await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 30))
    // Whoever was stopped for longer than a beat lasts may find that another holds the lock now.
    const mark = `${path}/${randomUUID()}`
    await writeFile(mark, '')
    const beat = setInterval(() => {
      const now = new Date()
      utimes(path, now, now).catch(() => {})
    }, BEAT_MS)
    try {
      return await work()
    } finally {
      clearInterval(beat)
      const isOurs = await rm(mark).then(
        () => true,
        () => false,
      )
      if (isOurs) await rm(path, { recursive: true, force: true })
    }
  }

async function take(path: string): Promise<boolean> {
  try {
    await mkdir(path)
    return true
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
  const made = await stat(path).catch(() => undefined)
  if (made && Date.now() - made.mtimeMs > STALE_MS) {
    // Renamed first, so that of several that find it stale only one removes it.
    const old = `${path}.${process.pid}.${Date.now()}`
    await rename(path, old).then(
      () => rm(old, { recursive: true, force: true }),
      () => {},
    )
  }
  return false
}
