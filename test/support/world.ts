import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCollections } from '#collections'
import type { Database } from '#foundation/database/database.ts'
import { loadConfig } from '#foundation/settings/config.ts'
import { createShedding } from '#foundation/http/shedding.ts'
import { createLog } from '#foundation/log.ts'
import { createMetrics } from '#foundation/metrics.ts'
import { openLimits } from '#foundation/rate-limit/limits.ts'
import { createPasswords } from '#foundation/security/passwords.ts'
import { loadMasterKeys } from '#foundation/security/secrets.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import type { ForgetUser } from '#foundation/security/session-gate.ts'
import { createLearning } from '#learning'
import { createSso } from '#sso'
import { checkAnswers } from './answers.ts'
import { PATIENCE, testDatabase } from './database.ts'
import { atEnd, shared } from './endings.ts'
import { parseHere } from './parse-here.ts'

export type FirstRun = {
  admin: { email: string; password: string; user_id: string }
  sites: Record<string, { site_id: string; site_key: string; webhook_secret: string; environment: string }>
}

export type World = Awaited<ReturnType<typeof buildWorld>>

let common: Promise<World> | undefined

/** The shared product of this test process: three apps on one test database, limits off. Built once. */
export const world = (): Promise<World> => (common ??= shared(buildWorld))

/**
 * For a file whose promises depend on how many rows there are: a new product, which `world()` answers with until the file
 * has ended. To be called first.
 */
export function ownWorld(): Promise<World> {
  const theirs = common
  atEnd(() => void (common = theirs))
  return (common = buildWorld())
}

/**
 * A separate product. `env` adds settings; limits are off unless set. A refused sign-in returns at once unless
 * `refusalTime` (ms) delays it as the program does.
 */
export async function buildWorld({
  env = {},
  refusalTime = 0,
  at,
}: {
  env?: Record<string, string>
  refusalTime?: number
  /** A product that runs already, whose files stay. */
  at?: { db: Database; url: string; dataDir: string }
} = {}) {
  const patience = Number(env['PATIENCE'] ?? PATIENCE)
  const { db, url } = at ?? (await testDatabase({ patience }))
  const dataDir = at?.dataDir ?? mkdtempSync(join(tmpdir(), 'lyceum-world-'))
  const config = loadConfig({
    DATA_DIR: dataDir,
    SSO_URL: 'http://127.0.0.1:8064',
    RATE_LIMIT_DEFAULT: '0',
    SSO_RATE_LIMIT_SITE: '0',
    SSO_RATE_LIMIT_AUTH: '0',
    SSO_WEBHOOK_RATE: '0',
    COLLECTIONS_RATE_LIMIT: '0',
    LOG_LEVEL: 'silent',
    PATIENCE: String(PATIENCE),
    ...env,
  })
  const log = createLog(config.LOG_LEVEL)
  const metrics = createMetrics()
  const parts: ServiceParts = {
    config,
    version: '0.0.0-test',
    database: db,
    gateDatabase: db,
    keys: loadMasterKeys(config.MASTER_KEY, dataDir),
    log,
    metrics,
    // Only a running watchdog finds the event loop late.
    shedding: createShedding(config, metrics),
    limits: openLimits(config.REDIS_URL, log),
    isStopping: () => false,
    isUnready: () => false,
    ssoUrl: () => config.SSO_URL ?? 'http://127.0.0.1:8064',
    ownPorts: () => [config.SSO_PORT, config.LEARNING_PORT, config.COLLECTIONS_PORT],
  }
  const passwords = createPasswords({ cost: 'test', refusalTime })
  const siblings: ForgetUser[] = []
  const sso = await createSso(parts, { passwords, siblings: () => siblings })
  const learning = await createLearning(parts, { gate: sso.gate, identity: sso.identity })
  siblings.push(learning.forgetUser)
  const collections = await createCollections(parts, { ...sso, parse: parseHere })
  siblings.push(collections.forgetUser)
  const services = [collections, learning, sso]
  atEnd(async () => {
    for (const service of services) await service.close()
    if (!at) rmSync(dataDir, { recursive: true, force: true })
  })
  for (const { app } of services) checkAnswers(app)
  await Promise.all(services.map(({ app }) => app.ready()))
  const firstRun = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as FirstRun
  return {
    sso: sso.app,
    learning: learning.app,
    collections: collections.app,
    gate: sso.gate,
    identity: sso.identity,
    announcements: sso.announcements,
    /** Starts the background jobs of the sso. Tests that need them call this in a separate world. */
    startJobs: () => sso.startJobs(),
    startLearningJobs: () => learning.startJobs(),
    startCollectionsJobs: () => collections.startJobs(),
    db,
    url,
    parts,
    passwords,
    firstRun,
    dataDir,
  }
}
