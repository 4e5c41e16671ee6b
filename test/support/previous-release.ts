import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Counts as the previous release until a release is tagged: the first commit whose nodes a balancer can exchange (/readyz,
 * DRAIN_SECONDS).
 */
const UNTIL_TAGGED = '41d8dff036ea237f11e4360560ef3d7a88afcdfb'

/** What a start needs of a checkout. */
const NEEDED = ['package.json', 'package-lock.json', 'patches', 'scripts', 'src']

const root = join(import.meta.dirname, '../..')
/** The checkout may belong to another user than the one that runs the tests. */
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'safe.directory=*', ...args], {
    cwd: root,
    maxBuffer: 1 << 30,
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/**
 * The commit of the newest tag before this one. Where the history of the checkout does not reach back to it, this commit:
 * nodes are then exchanged for nodes of the same release. `untilTagged` counts as that release until one is tagged.
 */
export function previousRelease(untilTagged = UNTIL_TAGGED): string {
  const commitOf = (name: string) =>
    git('rev-parse', '--verify', '--quiet', `${name}^{commit}`).toString().trim()
  try {
    return commitOf(newestTag() ?? untilTagged)
  } catch {
    console.error(
      'The history of this checkout has no previous release: "git fetch --unshallow --tags" brings it',
    )
    return commitOf('HEAD')
  }
}

function newestTag(): string | undefined {
  try {
    return git('describe', '--tags', '--abbrev=0', 'HEAD~1').toString().trim()
  } catch {
    return undefined
  }
}

/** The files of that commit whose paths match. */
export const filesOf = (commit: string, pattern: RegExp): string[] =>
  git('ls-tree', '-r', '--name-only', commit)
    .toString()
    .split('\n')
    .filter((path) => pattern.test(path))

/** Files that match and were edited, renamed or removed since that commit. */
export const changedSince = (commit: string, glob: string): string[] =>
  git('diff', '--name-only', '--no-renames', '--diff-filter=MD', commit, '--', glob)
    .toString()
    .split('\n')
    .filter(Boolean)

/** A folder with the code of that commit, ready to start. */
export function checkOut(commit: string): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'lyceum-release-'))
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit, ...NEEDED) })
  if (hasItsPackages(folder)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  else execFileSync(process.execPath, ['scripts/setup.mjs', '--production'], { cwd: folder })
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Whether our node_modules has every package that the release starts with, in the same version. */
function hasItsPackages(folder: string): boolean {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  const { dependencies } = read(join(folder, 'package.json')) as { dependencies: Record<string, string> }
  return Object.entries(dependencies).every(([name, version]) => {
    const manifest = join(root, 'node_modules', name, 'package.json')
    return existsSync(manifest) && read(manifest)['version'] === version
  })
}
