import { openDatabase } from '#foundation/database/database.ts'
import { explainGeneric, nodesOf, statementsOf } from '#testing/plans.ts'

/** The running product, as its own process knows it. */
type Running = { url: string; dataDir: string; sso: string }

/** The statements of one request and their plans, for a path that costs more than it may. */
export async function explainRequest(
  { url, dataDir, sso }: Running,
  path: string,
  authorization: string,
): Promise<string> {
  // Only then: the world of the tests brings the test runner along.
  const { buildWorld } = await import('#testing/world.ts')
  const db = openDatabase({ url, poolSize: 2 })
  const lyceum = await buildWorld({ at: { db, url, dataDir }, env: { SSO_URL: sso } })
  const app = path.startsWith('/api/v1/')
    ? lyceum.sso
    : path.startsWith('/api/collections')
      ? lyceum.collections
      : lyceum.learning
  const statements = await statementsOf(db, async () => {
    const { statusCode } = await app.inject({ url: path, headers: { authorization } })
    if (statusCode !== 200) throw new Error(`${path} was answered with ${statusCode}`)
  })
  const lines = [`\n${path}`]
  for (const statement of statements) {
    const { Plan, 'Execution Time': ms } = await explainGeneric(db, statement)
    lines.push(`${ms.toFixed(1)} ms\n${statement.text}`)
    for (const node of nodesOf(Plan))
      lines.push(
        `  ${node['Node Type']} ${node['Relation Name'] ?? ''} ${node['Index Name'] ?? ''} rows ${node['Actual Rows']} × ${node['Actual Loops']}, pages ${node['Shared Hit Blocks'] + node['Shared Read Blocks']} ${node.Filter ?? ''}`,
      )
  }
  await db.close()
  return lines.join('\n')
}
