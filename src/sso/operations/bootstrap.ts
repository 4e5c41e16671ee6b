import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Database, Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import type { Passwords } from '#foundation/security/passwords.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { StartError } from '#foundation/start-error.ts'
import { foldEmail } from '#foundation/text.ts'
import { recordAct } from '../core/audit/audit.ts'
import { randomBase62 } from '../core/access/site-keys.ts'
import { addAdmin, insertSite } from '../partners/sites/create.ts'
import { createSigningKeys } from '../core/tokens/signing-keys.ts'
import { isEmail } from '../people/person/fields.ts'

/** Content of DATA_DIR/first-run.json: the secrets an operator needs at first. They are shown nowhere else. */
export type FirstRun = {
  admin: { email: string; password: string; user_id: string }
  sites: Record<
    string,
    { site_id: string; site_key: string; webhook_secret: string; environment: 'sandbox' | 'production' }
  >
}

/** Advisory lock id: arbitrary, but the same in every version of Lyceum. */
const LOCK = 7_206_553_242
const FIRST_PARTY = { console: 'Console', learning: 'Learning', collections: 'Collections' }

/**
 * On the first start, with no people yet, one transaction creates the tenant, three first-party sites, signing keys and
 * admin. A concurrent start finds people and does nothing. The file is written in full before COMMIT and renamed after
 * it; the next start repairs a crash between the two.
 */
export async function bootstrap(parts: ServiceParts, passwords: Passwords): Promise<void> {
  const { config, database } = parts
  const file = join(config.DATA_DIR, 'first-run.json')
  await settleLeftover(database, file)
  const isFirst = await database.transaction(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK}::bigint)`
    const [somebody] = await tx`select from sso.users limit 1`
    if (somebody) return false
    mkdirSync(config.DATA_DIR, { recursive: true })
    writeAside(file, await makeFirstRun(tx, parts, passwords))
    return true
  })
  if (!isFirst) return
  publish(file)
  announce(parts, file)
}

async function makeFirstRun(tx: Tx, { config, keys }: ServiceParts, passwords: Passwords): Promise<FirstRun> {
  const admin = {
    email: config.ADMIN_EMAIL,
    password: config.ADMIN_PASSWORD ?? randomBase62(24),
    user_id: newId(),
  }
  checkAdmin(admin)
  const tenant_id = newId()
  await tx`insert into sso.tenants (tenant_id, name, environment) values (${tenant_id}, 'Lyceum', 'production')`
  await tx`
    insert into sso.users (user_id, environment, email, email_fold, password_hash, registration_source, is_claimed)
    values (${admin.user_id}, 'production', ${admin.email}, ${foldEmail(admin.email)},
            ${await passwords.hashPassword(admin.password)}, 'admin', true)`
  const sites: FirstRun['sites'] = {}
  for (const [site_code, name] of Object.entries(FIRST_PARTY)) {
    const environment = 'production'
    const made = await insertSite(tx, keys, { tenant_id, site_code, name, environment, is_first_party: true })
    const { site_id } = made.site
    await addAdmin(tx, admin.user_id, site_id)
    sites[site_code] = { site_id, site_key: made.site_key, webhook_secret: made.webhook_secret, environment }
  }
  await createSigningKeys(tx, keys)
  await recordAct(
    tx,
    {
      action: 'network.bootstrapped',
      environment: 'production',
      site_id: null,
      actor_user_id: null,
      subject_user_id: admin.user_id,
    },
    undefined,
  )
  return { admin, sites }
}

function checkAdmin({ email, password }: FirstRun['admin']) {
  if (!isEmail(email)) throw new StartError('ADMIN_EMAIL must be an e-mail address such as admin@example.org')
  const { length } = Array.from(password)
  if (length < 8 || length > 128) throw new StartError('ADMIN_PASSWORD must have 8 to 128 characters')
}

const asideOf = (file: string) => `${file}.part`

/** Readable only by its owner, and synced to disk before the database commits anything that refers to it. */
function writeAside(file: string, content: FirstRun) {
  rmSync(asideOf(file), { force: true })
  const handle = openSync(asideOf(file), 'wx', 0o600)
  writeSync(handle, `${JSON.stringify(content, null, 2)}\n`)
  fsyncSync(handle)
  closeSync(handle)
}

function publish(file: string) {
  renameSync(asideOf(file), file)
  const folder = openSync(join(file, '..'), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** After a crash between write and rename: keep the file only if its transaction committed. */
async function settleLeftover(database: Database, file: string) {
  const aside = asideOf(file)
  if (!existsSync(aside)) return
  const user_id = userIdIn(aside)
  const [admin] = user_id ? await database.fast`select from sso.users where user_id::text = ${user_id}` : []
  if (admin) publish(file)
  else rmSync(aside, { force: true })
}

function userIdIn(aside: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(aside, 'utf8')) as FirstRun).admin.user_id
  } catch {
    return undefined
  }
}

/**
 * Prints to stderr instead of the log, because logs are kept. A password from ADMIN_PASSWORD is already known and not
 * printed.
 */
function announce({ config }: ServiceParts, file: string) {
  if (config.LOG_LEVEL === 'silent') return
  const { admin } = JSON.parse(readFileSync(file, 'utf8')) as FirstRun
  const password = config.ADMIN_PASSWORD === undefined ? `, password ${admin.password}` : ''
  process.stderr.write(`First start: sign in as ${admin.email}${password} (also in ${file})\n`)
}
