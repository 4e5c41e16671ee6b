import { parseArgs } from 'node:util'
import { openDatabase } from '#foundation/database/database.ts'
import { migrate } from '#foundation/database/migrations.ts'
import { createLog } from '#foundation/log.ts'
import { loadMasterKeys } from '#foundation/security/secrets.ts'
import { takeConfig } from '#foundation/settings/config.ts'
import { MIGRATIONS, openServer } from '../src/cli/database.ts'
import { sealSecret } from '../src/sso/events/webhooks/secrets.ts'
import { generate, type Service, SERVICES } from './generate-all.ts'

/**
 * `npm run generate -- --rows 1000000 --seed 7` fills a site with people, channels, items and what belongs to them: about so
 * many rows in every large table, and others of `--channels`, `--progress`, `--items` or `--events`. The same seed gives the same
 * rows. The database has been started once (`npm start`) and, if it is the embedded one, is stopped. `--site` (learning),
 * `--only sso,learning`; the lists of the site's first ADMIN grow.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000' },
    channels: { type: 'string' },
    progress: { type: 'string' },
    items: { type: 'string' },
    events: { type: 'string' },
    seed: { type: 'string', default: '7' },
    site: { type: 'string', default: 'learning' },
    only: { type: 'string', default: SERVICES.join() },
  },
})
const services = values.only
  .split(',')
  .filter((name): name is Service => SERVICES.some((one) => one === name))
const config = takeConfig(process.env)
const server = await openServer(config, createLog(config.LOG_LEVEL), () => {})
try {
  await migrate(server.url, MIGRATIONS)
  const db = openDatabase({ url: server.url, poolSize: SERVICES.length })
  const keys = loadMasterKeys(config.MASTER_KEY, config.DATA_DIR)
  const [found] = await db.pool<{ site_id: string; tenant_id: string; user_id: string }[]>`
    select site_id, i.tenant_id, m.user_id from sso.sites i join sso.memberships m using (site_id)
     where i.site_code = ${values.site} and i.deleted_at is null and m.role = 'ADMIN' order by m.joined_at, m.user_id limit 1`
  if (!found) throw new Error(`There is no site ${values.site} with an ADMIN: run npm start once before`)
  const began = performance.now()
  const [rows, seed] = [Number(values.rows), Number(values.seed)]
  const [channels = rows, progress = rows, items = rows, events = rows] = (
    ['channels', 'progress', 'items', 'events'] as const
  ).map((name) => (values[name] === undefined ? undefined : Number(values[name])))
  const filling = { ...found, rows, channels, progress, items, events, seed }
  await generate(db, filling, (site_id) => sealSecret(keys, site_id, 'generated'), services)
  console.log(
    `${rows} rows of seed ${seed} in ${((performance.now() - began) / 1000).toFixed(0)} s: ${services.join(', ')}`,
  )
  await db.close()
} finally {
  await server.stop()
}
