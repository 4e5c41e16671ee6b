import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

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

/** The commit of the newest tag before this one. Throws a sentence where the history ends before it. */
export function previousRelease(): string {
  const name = newestTag() ?? UNTIL_TAGGED
  try {
    return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`).toString().trim()
  } catch (error) {
    const { stderr } = error as { stderr?: Buffer }
    throw new Error(
      `The previous release, ${name}, is not in the history of this checkout, and tests of upgrades need it: ` +
        `"git fetch --unshallow --tags" brings it (git: ${stderr?.toString().trim() || 'no such commit'})`,
      { cause: error },
    )
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

/** Whether our node_modules has every package that the release starts with, in the same version and mended alike. */
function hasItsPackages(folder: string): boolean {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  const { dependencies } = read(join(folder, 'package.json')) as { dependencies: Record<string, string> }
  const isHere = ([name, version]: [string, string]) => {
    const manifest = join(root, 'node_modules', name, 'package.json')
    return existsSync(manifest) && read(manifest)['version'] === version
  }
  const patches = (of: string) =>
    readdirSync(join(of, 'patches')).map((name) => readFileSync(join(of, 'patches', name), 'utf8'))
  return Object.entries(dependencies).every(isHere) && isDeepStrictEqual(patches(folder), patches(root))
}
