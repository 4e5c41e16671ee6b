import { SIGNALS } from '#foundation/processes/exit.ts'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkOut, previousRelease } from '#testing/previous-release.ts'
import { call, E, mostInAMinute, N, type Span, startClients } from './chaos-client.ts'
import { type Fault, faultsOf } from './chaos-faults.ts'
import { type Cluster, hasFaketime, openCluster } from './cluster-run.ts'
import { until } from './cluster-processes.ts'

/** Breaks every part of a running cluster in turn, and proves that nothing acknowledged was lost. */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    /** Another order than that of the list, in each round. */
    seed: { type: 'string' },
    /** Only faults whose names contain this. */
    only: { type: 'string' },
    report: { type: 'boolean' },
  },
})
/** The first commit whose nodes find Redis through Sentinels, as this cluster needs; counts until a release is tagged. */
const UNTIL_TAGGED = '63a283f7f90c29217e41a7dbb303d7160719f0d6'
const seed = Number(values.seed ?? 1)
const RECOVER_MS = 15_000
const NODES = 3
type Clients = Awaited<ReturnType<typeof startClients>>
/** A write that takes longer counts as failed. */
const SLOW_MS = 3_000
type Outcome = Span & {
  at: string
  fault: string
  partsLimits: boolean
  recovery_s: number
  failed_writes: number
  /** The longest of the writes that succeeded after that. */ slowest_s: number
}

const release = checkOut(previousRelease(UNTIL_TAGGED))
// Its nodes run as another user.
chmodSync(release.folder, 0o755)
const { starting, close } = openCluster(
  {
    COLLECTIONS_RATE_LIMIT: String(N),
    RATE_LIMIT_DEFAULT: '0',
    SSO_RATE_LIMIT_AUTH: '0',
    SSO_RATE_LIMIT_SITE: '0',
    LOG_LEVEL: 'warn',
  },
  { hasSmallDisks: true, movesClocks: hasFaketime },
)
let ending: Promise<void> | undefined
const end = (isKept = false) => (ending ??= close(isKept).finally(release.remove))
// Not once: Ctrl-C arrives twice, from the terminal and from npm.
for (const signal of SIGNALS) process.on(signal, () => void end().finally(() => process.exit(130)))
for (const mistake of ['uncaughtException', 'unhandledRejection'] as const)
  process.once(mistake, (error: unknown) => {
    console.error(error)
    void end(true).finally(() => process.exit(1))
  })
let isKept = true
try {
  const cluster = await starting
  const clients = await startClients(cluster)
  await sleep(5_000)
  const outcomes = await breakThings(cluster, clients)
  await clients.stop()
  const faults = await judge(cluster, clients, outcomes)
  isKept = faults.length > 0
  const report = reportOf(clients, outcomes, faults)
  console.log(report)
  if (values.report) writeFileSync(join(import.meta.dirname, '../docs/proof/chaos.md'), report)
  await clients.receiver.close()
  process.exitCode = faults.length > 0 ? 1 : 0
} finally {
  await end(isKept)
  if (isKept) console.error('The folder of the cluster stays, for its logs.')
}

/** Small and repeatable: mulberry32. */
function randomOf(start: number) {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

async function breakThings(cluster: Cluster, clients: Clients): Promise<Outcome[]> {
  const random = randomOf(seed)
  const all = faultsOf(cluster, random, release.folder).filter(({ name }) => name.includes(values.only ?? ''))
  const left = cluster.disks.size > 0 ? [] : ['full disks, which need the right to mount']
  if (!hasFaketime) left.push('moved clocks, which need the package faketime')
  if (left.length > 0) console.log(`Left out: ${left.join('; ')}`)
  const outcomes: Outcome[] = []
  const end = performance.now() + Number(values.minutes) * 60_000
  for (let bag: Fault[] = []; performance.now() < end;) {
    if (bag.length === 0) {
      bag = inOrder(all, random)
      console.log(`The next round:\n${bag.map(({ name }, n) => `${n + 1}. ${name}`).join('\n')}`)
    }
    const fault = bag.shift()
    if (!fault) break
    await until('the cluster is whole', () => isWhole(cluster), 180)
    const began = performance.now()
    const at = new Date().toISOString().slice(11, 19)
    await fault.run()
    const mended = performance.now()
    await sleep(Math.max(8_000, RECOVER_MS + 3_000 - (mended - began)))
    const from = fault.lastsUntilMended ? mended : began
    const outcome = {
      at,
      fault: fault.name,
      partsLimits: fault.partsLimits ?? false,
      began,
      ended: performance.now(),
      ...recovery(clients, began, from),
    }
    outcomes.push(outcome)
    console.log(JSON.stringify(outcome))
  }
  return outcomes
}

/** The order of the list, or with --seed another one. */
function inOrder(all: readonly Fault[], random: () => number): Fault[] {
  if (values.seed === undefined) return [...all]
  const rest = [...all]
  return all.flatMap(() => rest.splice(Math.floor(random() * rest.length), 1))
}

async function isWhole({ patroni, nodes }: Cluster) {
  if (!(await patroni.isWhole())) return false
  const statuses = nodes.flatMap(({ ports }) =>
    Object.values(ports).map(async (port) => (await call(`http://127.0.0.1:${port}/readyz`, {})).status),
  )
  return (await Promise.all(statuses)).every((status) => status === 200)
}

/** The time until the first success after the last write that failed. */
function recovery({ seen }: Clients, began: number, from: number) {
  const since = seen.writes.filter(({ ended }) => ended >= began)
  const failed = since.filter(({ status }) => status !== 201)
  const bad = since.filter(({ status, began: first, ended }) => status !== 201 || ended - first > SLOW_MS)
  const last = bad.at(-1)
  const after = since.filter((write) => !last || (write.status === 201 && write.ended > last.ended))
  const slowest = Math.max(0, ...after.map(({ began: first, ended }) => ended - first))
  const slowest_s = Math.round(slowest / 100) / 10
  if (!last) return { recovery_s: 0, failed_writes: 0, slowest_s }
  const [good] = after
  const recovery_s = Math.max(0, Math.round(((good?.ended ?? Infinity) - from) / 100) / 10)
  return { recovery_s, failed_writes: failed.length, slowest_s }
}

async function judge(cluster: Cluster, { seen, visitor, site, receiver }: Clients, outcomes: Outcome[]) {
  const { sso, learning } = cluster.proxy.addresses
  await until('the cluster is whole', () => isWhole(cluster), 180)
  const admin = await visitor.headers()
  const faults = [...seen.violations]
  for (const { fault, recovery_s, at } of outcomes)
    if (recovery_s > RECOVER_MS / 1_000) faults.push(`${at} ${fault}: back after ${recovery_s} s`)
  const stored = new Map<string, string[]>()
  for (let page = 1; ; page++) {
    const { status, body } = await call(`${learning}/api/channels?per_page=100&page=${page}`, admin)
    if (status !== 200) throw new Error(`The list of channels answered ${status}`)
    const items = body['items'] as { id: string; title: string }[]
    for (const { id, title } of items) stored.set(title, [...(stored.get(title) ?? []), id])
    if (items.length === 0) break
  }
  const lost = seen.acknowledged.filter(({ id, title }) => !stored.get(title)?.includes(id))
  if (lost.length > 0)
    faults.push(`${lost.length} acknowledged writes are lost, of ${lost[0]?.at} to ${lost.at(-1)?.at} UTC`)
  for (const [title, ids] of stored)
    if (ids.length > 1) faults.push(`"${title}" was written ${ids.length} times`)
  for (const { name, ports } of cluster.nodes)
    for (const { token } of seen.signOuts.slice(-200)) {
      const { status } = await call(`http://127.0.0.1:${ports.sso}/api/v1/sessions`, { authorization: token })
      if (status === 200) faults.push(`${name} takes a token that was signed out`)
    }
  const missing = () => seen.signOuts.filter(({ session_id }) => !seen.revoked.has(session_id))
  // The first retry of an event is after 30 s, the second after two more minutes.
  await until('every event arrives', () => missing().length === 0, 200).catch(() => {})
  if (missing().length > 0) {
    faults.push(`${missing().length} events of sign-outs did not arrive`)
    const query = `site_code=${String(site['site_code'])}&per_page=20`
    console.error(
      JSON.stringify((await call(`${sso}/api/v1/webhooks/events?${query}`, admin)).body).slice(0, 2_000),
    )
    console.error(missing().slice(0, 3), receiver.requests.length)
  }
  const { most, without } = limits(seen, outcomes)
  if (most > N + E) faults.push(`a limit of ${N} let in ${most} within a minute`)
  if (without > NODES * (N + E))
    faults.push(`a limit of ${N} let in ${without} within a minute in which each node counts`)
  return faults
}

/** Without Redis, and in the previous release, each node counts by itself. */
function limits({ letIn }: Clients['seen'], outcomes: readonly Outcome[]) {
  const outages = outcomes.filter(({ partsLimits }) => partsLimits)
  return { most: mostInAMinute(letIn, outages, false), without: mostInAMinute(letIn, outages, true) }
}

function reportOf(
  { seen, receiver }: Clients,
  outcomes: readonly Outcome[],
  faults: readonly string[],
): string {
  const row = ({ at, fault, recovery_s, failed_writes, slowest_s }: Outcome) =>
    `| ${at} | ${fault} | ${recovery_s} s | ${failed_writes} | ${slowest_s} s |`
  const { most, without } = limits(seen, outcomes)
  const statuses = [...seen.statuses].toSorted(([a], [b]) => a.localeCompare(b))
  return `# Chaos: the last run

${new Date().toISOString().slice(0, 10)}, \`npm run chaos -- --minutes ${values.minutes}${values.seed === undefined ? '' : ` --seed ${seed}`}\`, on one machine of two cores: three members of etcd,
three PostgreSQL servers under Patroni (\`synchronous_mode_strict\`), HAProxy, PgBouncer in transaction mode, Redis with a replica and three
Sentinels, three Lyceum nodes. Clients wrote, signed out and were limited without a pause while parts were broken.

The recovery counts from the beginning of the fault, where only its mending ends it (the cut network, the moved clock) from there.

| UTC | Fault | Writes work again after | Writes that failed | Slowest write after that |
|---|---|---|---|---|
${outcomes.map(row).join('\n')}

- ${seen.acknowledged.length} writes were acknowledged; ${seen.signOuts.length} sign-outs were acknowledged, and each token was tried at all three nodes at once.
- ${seen.received.size} events arrived, ${receiver.requests.length - seen.received.size} of them more than once or without an id.
- A limit of ${N} a minute let in at most ${most} in any minute; ${N + E} are allowed. In the minutes around a lost Redis or with nodes of
  the previous release, when each node may count by itself, it was ${without}; ${NODES * (N + E)} are allowed.
- Answers (0: none): ${statuses.map(([what, times]) => `${what}: ${times}`).join(', ')}.

${faults.length === 0 ? 'No acknowledged write was lost or doubled, no event is missing, and no token outlived its sign-out.' : `What failed:\n\n${faults.map((fault) => `- ${fault}`).join('\n')}`}
`
}
