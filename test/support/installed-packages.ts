import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const MODULES = join(root, 'node_modules')
/** What our packages depend on, packed from what is installed here: no registry is asked. */
const THEIRS = ['jose', 'openapi-fetch', 'openapi-typescript-helpers']

const npm = (folder: string, ...args: string[]) =>
  run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder })

export type Project = {
  folder: string
  /** Runs a module there and gives what it printed, as JSON. */
  run: <T>(text: string, env?: Record<string, string | undefined>) => Promise<T>
  remove: () => void
}

/**
 * An empty project into which our packages were installed as npm would publish them. `beside` names packages of the
 * repository that are only linked there, such as a framework.
 */
export async function installPackages(...beside: string[]): Promise<Project> {
  const home = mkdtempSync(join(tmpdir(), 'lyceum-packages-'))
  const folder = join(home, 'project')
  mkdirSync(folder)
  await pack(home, folder)
  writeFileSync(join(folder, 'package.json'), '{"name": "empty", "private": true, "type": "module"}')
  const archives = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  await npm(folder, 'install', '--offline', '--ignore-scripts', ...archives.map((name) => `./${name}`))
  for (const name of beside) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(MODULES, name), link)
  }
  let files = 0
  return {
    folder,
    async run<T>(text: string, env = {}) {
      const file = join(folder, `run-${files++}.mjs`)
      writeFileSync(file, text)
      const { stdout } = await run(process.execPath, [file], {
        env: { PATH: process.env['PATH'], ...env },
        timeout: 60_000,
      })
      return JSON.parse(stdout) as T
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** What the compiler says about a file there: nothing, if its types are right. */
export async function compile(folder: string, file: string): Promise<string> {
  const flags = [
    '--noEmit',
    '--strict',
    '--target',
    'esnext',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--ignoreConfig',
  ]
  const lib = ['--lib', 'esnext,dom,dom.iterable,dom.asynciterable']
  const tsc = join(MODULES, 'typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, ...flags, ...lib, file], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  )
  return stdout
}

/** Packs a copy, because packing builds and several tests may do it at once. */
async function pack(home: string, to: string) {
  const build = join(home, 'build')
  for (const name of ['client', 'server'])
    cpSync(join(root, 'packages', name), join(build, 'packages', name), {
      recursive: true,
      filter: (path) => !path.endsWith('/dist'),
    })
  cpSync(join(root, 'tsconfig.json'), join(build, 'tsconfig.json'))
  symlinkSync(MODULES, join(build, 'node_modules'))
  const ours = ['client', 'server'].map((name) =>
    npm(join(build, 'packages', name), 'pack', '--ignore-scripts=false', '--pack-destination', to),
  )
  const theirs = THEIRS.map((name) =>
    npm(build, 'pack', join(MODULES, name), '--ignore-scripts', '--pack-destination', to),
  )
  await Promise.all([...ours, ...theirs])
}
