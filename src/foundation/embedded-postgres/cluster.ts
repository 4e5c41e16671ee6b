import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '../start-error.ts'
import type { Binaries } from './binaries.ts'
import type { Place } from './place.ts'

/** Passwords of the superuser `postgres` and of the role `lyceum`, which owns only the database `lyceum`. */
type Passwords = { admin: string; app: string }

/** The environment of every PostgreSQL program: English messages, and none of our secrets or PG* variables. */
export const serverEnvironment = { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH }

/**
 * Data is flushed once, at the end. Columns pin their collations, so the default collation is one that needs no
 * library. Errors of the role go to the application, which logs them without values; the server log must not repeat
 * them.
 */
const CREATE = `umask 077
printf %s "$ADMIN" > admin-password
printf '{"admin":"%s","app":"%s"}' "$ADMIN" "$APP" > passwords.json
"$INITDB" --username=postgres --auth=scram-sha-256 --data-checksums --no-sync --no-instructions --encoding=UTF8 \\
  --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8 --pwfile=admin-password -D data
"$POSTGRES" --single -F -c exit_on_error=on -D data postgres <<END
create role lyceum login password '$APP'
alter role lyceum set log_min_messages = 'log'
create database lyceum owner lyceum
END
rm admin-password
"$INITDB" -D data --sync-only
sync passwords.json .`

/**
 * Creates the database if there is none and returns its passwords. StartError: another major version, initdb failed.
 */
export async function openCluster(place: Place, binaries: Binaries): Promise<Passwords> {
  const version = join(place.data, 'PG_VERSION')
  if (existsSync(version)) removeLeftovers(place)
  else await createCluster(place, binaries)
  const [major = 0, ours = 0] = [readFileSync(version, 'utf8'), binaries.version].map((text) =>
    parseInt(text, 10),
  )
  if (major !== ours) {
    throw new StartError(
      `The data in ${place.data} is of PostgreSQL ${major} and this program brings ${ours}: while the release that made it runs, save it with the client programs of PostgreSQL ${major} or newer, which are no part of Lyceum: "pg_dump --host=${place.socket} --username=lyceum --no-owner --file=lyceum.sql lyceum" (its password is in ${place.passwords}), read it into an empty database of a server of your own with "psql --file=lyceum.sql", and start with DATABASE_URL and, from ${join(place.dataDir, 'master.key')}, MASTER_KEY`,
    )
  }
  return JSON.parse(readFileSync(place.passwords, 'utf8')) as Passwords
}

/**
 * Everything is created in a sibling folder, flushed once and renamed. A crash therefore leaves the old state or the
 * new one. When two first starts race, one wins and the other uses its result.
 */
async function createCluster({ folder, dataDir, data, account }: Place, binaries: Binaries): Promise<void> {
  const aside = `${folder}.${randomBytes(4).toString('hex')}.new`
  const [ADMIN, APP] = [randomBytes(24), randomBytes(24)].map((bytes) => bytes.toString('base64url'))
  const env = { ...serverEnvironment, ADMIN, APP, INITDB: binaries.initdb, POSTGRES: binaries.postgres }
  try {
    mkdirSync(aside, { mode: 0o700 })
    if (account) chownSync(aside, account.uid, account.gid)
    await promisify(execFile)('/bin/sh', ['-ec', CREATE], { ...account, cwd: aside, env })
    renameSync(aside, folder)
    execFileSync('sync', [dataDir])
  } catch (error) {
    rmSync(aside, { recursive: true, force: true, maxRetries: 3 })
    if (existsSync(data)) return // made by another start
    const { code, stderr, message } = error as NodeJS.ErrnoException & { stderr?: string }
    if (code === 'ENOTEMPTY' || code === 'EEXIST')
      throw new StartError(
        `${folder} holds other things than a database: move it away, or choose another DATA_DIR`,
      )
    // What follows an error tells of the clean-up.
    const lines = stderr?.trim().split('\n') ?? []
    const said = lines.find((line) => /error:|FATAL|PANIC/.test(line)) ?? (lines.at(-1) || message)
    throw new StartError(`The database could not be made: "${said}". Mend that, or set DATABASE_URL`)
  }
}

/** Removes folders of first starts that were killed. They are not needed once the database exists. */
function removeLeftovers({ dataDir }: Place): void {
  for (const name of readdirSync(dataDir)) {
    try {
      if (/^postgres\.\w+\.new$/.test(name)) rmSync(join(dataDir, name), { recursive: true, force: true })
    } catch {
      // An initdb that outlived its parent still writes there. The next start tries again.
    }
  }
}
