import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

type Entry = { integrity?: string; optional?: boolean; os?: string[]; cpu?: string[]; link?: boolean }

const root = join(import.meta.dirname, '..')
const packagesOf = (path: string) =>
  Object.entries(
    (JSON.parse(readFileSync(join(root, path), 'utf8')) as { packages: Record<string, Entry> }).packages,
  ).filter(([name]) => name !== '')
const isVerified = ({ integrity = '' }: Entry) => /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)

/**
 * Binaries for other platforms that the registry lacked when the lock file was made. None of them is installed on Linux
 * x64 with glibc. If you recreate the lock file from a registry that has them, remove them from this list.
 */
const OF_OTHER_PLATFORMS =
  /^node_modules\/(?:@node-rs\/bcrypt|@oxc-parser\/binding|@oxfmt\/binding|@oxlint\/binding|@oxlint-tsgolint)[-/](?!linux-x64(?:-gnu)?$)/

describe('package-lock.json', () => {
  test('has the digest of everything installed here', () => {
    const digests = new Map(packagesOf('package-lock.json'))
    const installed = packagesOf('node_modules/.package-lock.json')
    assert.ok(installed.length > 100)
    assert.deepEqual(
      installed.filter(([name]) => !isVerified(digests.get(name) ?? {})).map(([name]) => name),
      [],
    )
  })

  test('has all other digests, except for binaries of listed platforms', () => {
    const without = packagesOf('package-lock.json').filter(([, entry]) => !isVerified(entry))
    assert.deepEqual(
      without
        .filter(([name, { optional, os, cpu }]) => !(OF_OTHER_PLATFORMS.test(name) && optional && os && cpu))
        .map(([name]) => name),
      [],
    )
    assert.ok(without.length <= 65, `${without.length} entries without a digest`)
  })
})
