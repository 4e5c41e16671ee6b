import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Running } from '#testing/product.ts'
import type { Cluster } from './cluster-run.ts'

/** Opens /metrics through HAProxy. */
export const METRICS_TOKEN = 'of-the-journeys-only'

/** The first one expects an installation that nobody has used yet. */
const FILES = [
  'test/journeys/first-hour.test.ts',
  'test/journeys/openid.test.ts',
  'test/journeys/partner-site.test.ts',
  'scripts/cluster-imports.test.ts',
]

/** Runs the journeys and the importers against the cluster, through HAProxy. Resolves with the exit code. */
export async function runJourneys({ proxy, root }: Cluster): Promise<number> {
  const file = join(root, 'running.json')
  const running: Running = {
    ...proxy.addresses,
    dataDir: join(root, 'lyceum1'),
    metricsToken: METRICS_TOKEN,
  }
  writeFileSync(file, JSON.stringify(running))
  let code = 0
  for (const path of FILES) {
    const flags = ['--test', '--test-reporter=spec', '--test-timeout=300000', '--test-isolation=none']
    const child = spawn(process.execPath, [...flags, path], {
      cwd: join(import.meta.dirname, '..'),
      env: { ...process.env, LYCEUM_RUNNING: file },
      stdio: 'inherit',
    })
    const [ended] = (await once(child, 'exit')) as [number | null]
    code ||= ended ?? 1
  }
  return code
}
