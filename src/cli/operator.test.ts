import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runCommand } from '#testing/command.ts'
import { aSite, aUser } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'

const lyceum = await buildWorld()
const url = await lyceum.sso.listen({ host: '127.0.0.1', port: 0 })

/** Runs a command against the world, with what its first-run.json tells. */
const run = (...args: string[]) => runCommand([...args, '--sso', url], { DATA_DIR: lyceum.dataDir })

const peopleAt = async (site_id: string) => {
  const rows = await lyceum.db.pool`select from sso.users where registration_site_id = ${site_id}`
  return rows.length
}

describe('npm start -- wipe-sandbox', () => {
  test('only prints what it would do without --yes', async () => {
    const site = await aSite({ environment: 'sandbox', lyceum })
    await aUser({ at: site, lyceum })
    const { code, stderr } = await run('wipe-sandbox')
    assert.equal(code, 1)
    assert.match(stderr, /^npm start -- wipe-sandbox --yes/)
    assert.equal(await peopleAt(site.site_id), 1)
  })

  test('empties one site or all', async () => {
    const sites = [
      await aSite({ environment: 'sandbox', lyceum }),
      await aSite({ environment: 'sandbox', lyceum }),
    ]
    for (const site of sites) await aUser({ at: site, lyceum })
    const counts = () => Promise.all(sites.map((site) => peopleAt(site.site_id)))
    const one = await run('wipe-sandbox', '--yes', '--site', sites[0]?.site_code ?? '')
    assert.deepEqual([one.code, one.stderr], [0, ''])
    assert.match(one.stdout, /^people +1$/m)
    assert.deepEqual(await counts(), [0, 1])
    assert.equal((await run('wipe-sandbox', '--yes')).code, 0)
    assert.deepEqual(await counts(), [0, 0])
  })

  test('explains a refusal', async () => {
    const { code, stdout, stderr } = await run('wipe-sandbox', '--yes', '--site', 'learning')
    assert.deepEqual([code, stdout, stderr], [1, '', '403 Only a sandbox site can be wiped\n'])
  })
})

describe('npm start -- retention', () => {
  test('prints what would be deleted and changes nothing', async () => {
    const site = await aSite({ environment: 'sandbox', lyceum })
    const { user_id } = await aUser({ at: site, lyceum })
    await lyceum.db.pool`
      update sso.users set created_at = clock_timestamp() - interval '30 days' where user_id = ${user_id}`
    for (const words of [['retention', '--dry-run'], ['retention']]) {
      const { code, stdout } = await run(...words)
      assert.equal(code, 0)
      assert.match(stdout, /^sandbox_users +1 rows, looked for every 3600 s$/m)
    }
    assert.equal(await peopleAt(site.site_id), 1)
  })
})
