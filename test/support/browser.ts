import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getTestContext } from 'node:test'
import { atExit } from '#foundation/processes/exit.ts'
import { inflate } from '@sparticuz/chromium'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from 'playwright-core'
import { atEnd, shared } from './endings.ts'
import { call } from './product.ts'
import type { FirstRun } from './world.ts'

const modules = join(import.meta.dirname, '../../node_modules')
const packed = join(modules, '@sparticuz/chromium')
const CACHE = join(modules, '.cache')

let started: Promise<Browser> | undefined

/** Chromium, started once per test process. */
export const browser = (): Promise<Browser> => (started ??= shared(launch))

/** Contexts without windows, by their options. */
const idle = new Map<string, BrowserContext[]>()
const isSpoilt = new WeakSet<BrowserContext>()

/**
 * A window without cookies and storage, which closes with the test that opened it, or with the file. `problems` collects the
 * console errors and failed requests of its pages. Its context is used again afterwards: what it has fetched by then saves
 * two thirds of the work of a first page. One that was given a clock, routes, scripts or permissions is not.
 */
export async function aWindow(
  options: BrowserContextOptions = {},
): Promise<{ page: Page; problems: string[] }> {
  const kind = JSON.stringify(options)
  const context = idle.get(kind)?.pop() ?? (await newContext(options))
  const opener = getTestContext()
  const close = () => putBack(context, kind)
  if (opener && 'after' in opener) opener.after(close)
  else atEnd(close)
  const page = await context.newPage()
  return { page, problems: problemsOf(page) }
}

async function newContext(options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await (await browser()).newContext({ locale: 'en-GB', ...options })
  context.setDefaultTimeout(30_000)
  spoiltBy(context, context, [
    'addInitScript',
    'exposeBinding',
    'exposeFunction',
    'grantPermissions',
    'route',
  ])
  spoiltBy(context, context.clock, ['install', 'setFixedTime'])
  return context
}

/** Whoever calls one of these sets what nobody can take back. */
function spoiltBy<T extends object>(context: BrowserContext, owner: T, names: readonly (keyof T)[]): void {
  for (const name of names) {
    const original = (owner[name] as (...args: unknown[]) => unknown).bind(owner)
    owner[name] = ((...args: unknown[]) => {
      isSpoilt.add(context)
      return original(...args)
    }) as T[typeof name]
  }
}

async function putBack(context: BrowserContext, kind: string): Promise<void> {
  if (isSpoilt.has(context)) return context.close()
  const pages = context.pages()
  const [last] = pages
  if (!last) return context.close()
  const devtools = await context.newCDPSession(last)
  await devtools.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' })
  await Promise.all(pages.map((page) => page.close()))
  await context.clearCookies()
  await context.setOffline(false)
  idle.set(kind, [...(idle.get(kind) ?? []), context])
}

/**
 * A window in which the person is signed in at one of our own sites. The session is opened through the API; its cookies
 * are those of the hosted sign-in, except `sso_known`, which the first visit of /sign-in adds.
 */
export async function aWindowOf(
  { email, password }: { email: string; password: string },
  { address, firstRun }: { address: string; firstRun: FirstRun },
  {
    at = 'console',
    ...options
  }: BrowserContextOptions & { at?: 'console' | 'learning' | 'collections' } = {},
): Promise<{ page: Page; problems: string[] }> {
  const window = await aWindow(options)
  const { status, body } = await call(`${address}/api/v1/auth/login`, {
    headers: { 'x-sso-site-key': firstRun.sites[at]?.site_key ?? '' },
    body: { email, password },
  })
  const { access_token, refresh_token } = body
  if (status !== 200 || typeof refresh_token !== 'string')
    throw new Error(`login answered ${status}: ${JSON.stringify(body)}`)
  const held = { domain: new URL(address).hostname, httpOnly: true } as const
  await window.page.context().addCookies([
    { ...held, name: 'access_token', value: String(access_token), path: '/', sameSite: 'Lax' },
    { ...held, name: 'sso_refresh', value: refresh_token, path: '/sign-in', sameSite: 'Strict' },
  ])
  return window
}

/** A refused form is an expected answer, not a problem; everything else that reaches the console is one. */
export function problemsOf(page: Page): string[] {
  const problems: string[] = []
  page.on('console', (message) => {
    const isRefusal = /status of (401|409|422|429)/.test(message.text())
    // By the clock, so it comes on a busy machine; the test of all pages looks for preloads in vain itself.
    const isLate = message.text().includes('preloaded using link preload but not used within a few seconds')
    if (['error', 'warning'].includes(message.type()) && !isRefusal && !isLate)
      problems.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('requestfailed', (request) => {
    // Leaving a page aborts its pending loads.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') problems.push(`${request.url()} failed`)
  })
  return problems
}

async function launch(): Promise<Browser> {
  try {
    // No machine of a test run has a GPU; imitating one costs more than drawing without.
    // The process that runs the tests ends on a signal by itself, and Chromium with it.
    const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
    const launched = await chromium.launch({
      args: ['--no-sandbox', '--disable-gpu'],
      ...signals,
      ...(await chromiumHere()),
    })
    const close = () => launched.close()
    atExit(close)
    atEnd(close)
    return launched
  } catch (cause) {
    throw new Error('The browser tests found no Chromium that starts on this machine', { cause })
  }
}

/** Linux x64: the npm package's Chromium, with the libraries and fonts it needs. Elsewhere: the installed Chrome. */
async function chromiumHere(): Promise<LaunchOptions> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return { channel: 'chrome' }
  const { version } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')) as { version: string }
  const folder = join(CACHE, `chromium-${version}`)
  if (!existsSync(folder)) await unpackInto(folder)
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
      XDG_CACHE_HOME: folder,
    },
  }
}

/** Replaces the package's own font configuration, which names folders that exist only on its makers' machines. */
const FONTS =
  '<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fonts-cache</cachedir></fontconfig>'

/** Atomic, even when two runs unpack at once. The package itself unpacks into the temporary folder. */
async function unpackInto(folder: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true })
  const aside = mkdtempSync(`${folder}.`)
  const { TMPDIR } = process.env
  process.env['TMPDIR'] = aside
  try {
    for (const file of ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'])
      await inflate(join(packed, 'bin', file))
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = TMPDIR
  }
  writeFileSync(join(aside, 'fonts.conf'), FONTS)
  try {
    renameSync(aside, folder)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Half the size of what the package exports, which each page would have to read. */
const axe = readFileSync(join(modules, 'axe-core/axe.min.js'), 'utf8')

/**
 * Violations that axe finds, as "rule: element". Runs through the browser's developer tools, so CSP stays in force.
 * `without`: rules whose answer is known already.
 */
export async function axeFaults(page: Page, { without = [] as string[] } = {}): Promise<string[]> {
  await page.evaluate(axe)
  const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]))
  const options = { runOnly: RULES, rules, preload: false, resultTypes: ['violations'] }
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`)
}

/** What is wrong with the state that a story has reached, on the narrowest phone at night: for axe, and its width. */
export async function phoneFaults(page: Page): Promise<string[]> {
  const before = page.viewportSize()
  await page.setViewportSize({ width: 360, height: 800 })
  // Colours that are still changing would be measured half-way.
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const faults = await axeFaults(page)
  if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) faults.push('sideways')
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  if (before) await page.setViewportSize(before)
  return faults
}
