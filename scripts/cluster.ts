import { SIGNALS } from '#foundation/processes/exit.ts'
import { NO_LIMITS } from '#testing/product.ts'
import { METRICS_TOKEN, runJourneys } from './cluster-journeys.ts'
import { openCluster } from './cluster-run.ts'

/**
 * Runs the cluster until Ctrl-C, SIGTERM or SIGHUP. Prints one line of JSON when it is ready. With --journeys it then runs the
 * acceptance journeys and the importers there, and ends.
 */
const hasJourneys = process.argv.includes('--journeys')
const { starting, close } = openCluster(hasJourneys ? { ...NO_LIMITS, METRICS_TOKEN } : {})
let isEnding = false
for (const signal of SIGNALS)
  process.on(signal, () => {
    if (isEnding) return
    isEnding = true
    void close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  })
const cluster = await starting.catch(async (error: Error) => {
  if (!isEnding) await close()
  console.error(error.message)
  process.exit(isEnding ? 0 : 1)
})
const { proxy, nodes, patroni, etcd, redis, database, root, firstRun } = cluster
const ready = {
  ready: true,
  ...proxy.addresses,
  nodes: nodes.map(({ name, ports }) => ({ name, ...ports })),
  database,
  database_without_pooler: `postgres://lyceum:lyceum@${patroni.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/lyceum?target_session_attrs=read-write`,
  postgres: patroni.nodes.map(({ name, port, rest }) => ({ name, port, rest })),
  etcd: etcd.hosts,
  redis: redis.url,
  admin: firstRun.admin,
  folder: root,
}
if (!isEnding) console.log(JSON.stringify(ready))
if (!isEnding && hasJourneys) {
  try {
    process.exitCode = await runJourneys(cluster)
  } finally {
    await close()
  }
  process.exit()
}
