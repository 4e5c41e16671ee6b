import type { Page } from 'playwright-core'
import { bookOf, formOf } from '#testing/books.ts'
import { aWindow, axeFaults, browser } from '#testing/browser.ts'
import { aCampus, cookieOf, somebody } from '#testing/campus.ts'
import { call, newDataDir, removeDataDir, startProduct } from '#testing/product.ts'
import { startVideoServer } from '#testing/video.ts'
import { learningViews } from '#testing/views.ts'
import { measure, slowDown, typeInto } from '#testing/vitals.ts'
import { eventually } from '#testing/eventually.ts'

/**
 * `npm run pages` opens every page in Chromium with a processor four times slower and a line of 10 Mbit/s and 40 ms, in both
 * themes and two widths, and prints the worst of the four: Cumulative Layout Shift, Largest Contentful Paint, Interaction to
 * Next Paint while somebody types, weight, what axe finds, and lines on the console. It ends with 1 where a bound is broken.
 * `npm run pages -- console` measures those whose name begins so.
 */
const MAX = { cls: 0.05, lcp: 1_200, inp: 100 }
const FIELDS: Record<string, string> = {
  'channel-edit': 'textarea',
  'console sites': 'input[name=q]',
  'collections items': '.items-search',
}

type View = { name: string; address: string; enter: (page: Page) => Promise<unknown> }

const dataDir = newDataDir()
const media = await startVideoServer(1_260)
const product = await startProduct(dataDir)
try {
  console.log(
    '| Page | CLS | LCP ms | INP ms | kB | requests | axe | console |\n|---|---|---|---|---|---|---|---|',
  )
  for (const view of [...(await pagesOfLearning()), ...pagesOfSso(), ...(await pagesOfCollections())])
    if (view.name.startsWith(process.argv[2] ?? '')) await line(view)
} finally {
  await product.end()
  await media.close()
  removeDataDir(dataDir)
  await (await browser()).close()
}

async function line({ name, address, enter }: View) {
  const worst = { cls: 0, lcp: 0, inp: 0, bytes: 0, requests: 0, axe: 0, console: 0 }
  let moved = ''
  const said = new Set<string>()
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 1280]) {
      const { page, problems } = await aWindow({ colorScheme, viewport: { width, height: 900 } })
      await enter(page)
      await slowDown(page)
      const found = await measure(page, address)
      const field = FIELDS[name]
      const inp = field === undefined ? 0 : await typeInto(page, field)
      const axe = (await axeFaults(page)).length
      for (const problem of problems) said.add(problem)
      if (found.cls > worst.cls) moved = found.moved
      const seen = { ...found, inp, axe, console: problems.length }
      for (const key of Object.keys(worst) as (keyof typeof worst)[])
        worst[key] = Math.max(worst[key], seen[key])
      await page.context().close()
    }
  const { cls, lcp, inp, bytes, requests } = worst
  const typed = FIELDS[name] === undefined ? '' : Math.round(inp)
  const figures = [cls.toFixed(3), Math.round(lcp), typed, Math.round(bytes / 1000), requests]
  console.log(`| ${[name, ...figures, worst.axe, worst.console].join(' | ')} |`)
  if (cls > MAX.cls) console.log(`  moved: ${moved}`)
  for (const problem of said) console.log(`  console: ${problem}`)
  if (cls > MAX.cls || lcp > MAX.lcp || inp > MAX.inp || worst.axe + worst.console > 0) process.exitCode = 1
}

async function pagesOfLearning(): Promise<View[]> {
  const campus = await aCampus(product, media.video)
  return learningViews(campus).map(([name, role, path]) => ({
    name,
    address: product.learning + path,
    enter: (page) => page.context().addCookies([cookieOf(product, campus[role])]),
  }))
}

/** A tree with 500 items, at the session of a curator. */
async function pagesOfCollections(): Promise<View[]> {
  const curator = await somebody(product, 'curator@example.org')
  const make = async (path: string, body: object) => {
    const answer = await call(product.collections + path, { headers: curator.headers, body })
    return String(answer.body['id'])
  }
  const museum = await make('/api/collections', { name: 'Museum' })
  const plates = await make('/api/collections', { name: 'Plates', parent_id: museum })
  const operations = Array.from({ length: 500 }, (_, i) => ({
    action: 'create',
    name: `Plate ${i}`,
    external_key: `P-${i}`,
    metadata: { year: 1850 + (i % 90), technique: 'etching', room: `Room ${i % 7}` },
  }))
  await make(`/api/collections/${plates}/items/batch-write`, { operations })
  const refused = Array.from({ length: 60 }, (_, i) => [`R-${i}`, i % 2 ? '' : `Row ${i}`])
  const form = formOf(bookOf({ Items: [['item_key', 'name'], ...refused] }), { parent_id: museum })
  const sent = await fetch(`${product.collections}/api/bulk/upload`, {
    method: 'POST',
    headers: { ...curator.headers, ...form.headers },
    body: new Uint8Array(form.payload),
  })
  const { job_id } = (await sent.json()) as { job_id: string }
  await eventually(async () => {
    const job = await call(`${product.collections}/api/bulk/jobs/${job_id}`, { headers: curator.headers })
    return job.body['finished_at'] !== null
  })
  const cookie = { name: 'access_token', value: curator.access_token, url: product.collections }
  const enter = (page: Page) => page.context().addCookies([{ ...cookie, httpOnly: true }])
  const paths: [name: string, path: string][] = [
    ['collections', '/'],
    ['collections items', `/?collection=${plates}`],
    ['collections members', `/?collection=${plates}&tab=members`],
    ['collections uploads', `/uploads?collection=${plates}`],
    ['collections upload with refused rows', `/uploads?open=${job_id}`],
  ]
  return paths.map(([name, path]) => ({ name, address: product.collections + path, enter }))
}

function pagesOfSso(): View[] {
  const { email, password, user_id } = product.firstRun.admin
  const enter = async (page: Page) => {
    await page.goto(`${product.sso}/console`)
    await page.getByLabel('E-mail address or username').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  }
  const paths: [name: string, path: string][] = [
    ['account', '/account'],
    ['account profile', '/account/profile'],
    ['account security', '/account/security'],
    ['account sessions', '/account/sessions'],
    ['account sites', '/account/sites'],
    ['account activity', '/account/activity'],
    ['console', '/console'],
    ['console people', '/console/people'],
    ['console person', `/console/people/${user_id}`],
    ['console sites', '/console/sites'],
    ['console site', `/console/sites/${product.firstRun.sites['learning']?.site_id ?? ''}`],
    ['console audit log', '/console/audit'],
    ['console webhooks', '/console/webhooks'],
    ['console imports', '/console/imports'],
    ['console orders', '/console/orders'],
    ['console messages', '/console/messages'],
    ['console enterprise', '/console/enterprise'],
    ['console settings', '/console/settings'],
    ['console program', '/console/settings?show=program'],
  ]
  const signIn = {
    name: 'sign in',
    address: `${product.sso}/sign-in?site_code=console`,
    enter: async () => {},
  }
  return [signIn, ...paths.map(([name, path]) => ({ name, address: product.sso + path, enter }))]
}
