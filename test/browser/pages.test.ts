import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import { TOTP } from 'otpauth'
import type { BrowserContextOptions } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { aCampus, ask, type Campus, type Somebody } from '#testing/campus.ts'
import { aBrowser } from '#testing/hosted-page.ts'
import { adminHeaders, call } from '#testing/product.ts'
import { atOneName, type SharedProduct, sharedProduct } from '#testing/shared-product.ts'
import { startVideoServer } from '#testing/video.ts'
import { measure } from '#testing/vitals.ts'
import { world } from '#testing/world.ts'

type Service = 'sso' | 'learning' | 'collections'
type Row = [service: Service, who: string, route: string]

/**
 * Every page of the program: whose it is, who looks at it, and its route. What the route leaves open, and all that
 * follows a question mark, is filled in from `ids`.
 */
const PAGES: Row[] = [
  ['learning', 'learner', '/'],
  ['learning', 'teacher', '/'],
  ['learning', 'owner', '/'],
  ['learning', 'nobody', '/'],
  ['learning', 'learner', '/channels'],
  ['learning', 'learner', '/channels?q=star'],
  ['learning', 'learner', '/channel?id={channel_id}'],
  ['learning', 'nobody', '/channel?id={channel_id}'],
  ['learning', 'teacher', '/channel?id={channel_id}'],
  ['learning', 'teacher', '/channel?id={channel_id}&view=people'],
  ['learning', 'teacher', '/channel?id={channel_id}&view=grades'],
  ['learning', 'teacher', '/channel?id={channel_id}&view=grades&learner={learner_id}'],
  ['learning', 'teacher', '/channel/edit'],
  ['learning', 'teacher', '/channel/edit?id={channel_id}'],
  ['learning', 'learner', '/episode?id={second_episode_id}&channel={channel_id}'],
  ['learning', 'teacher', '/episode?id={second_episode_id}&channel={channel_id}'],
  ['learning', 'teacher', '/episode/edit?id={episode_id}&channel={channel_id}'],
  ['learning', 'learner', '/homework?id={graded_homework_id}&episode={second_episode_id}'],
  ['learning', 'learner', '/homework?id={homework_id}&episode={episode_id}'],
  ['learning', 'teacher', '/homework?id={homework_id}&episode={episode_id}'],
  ['learning', 'teacher', '/grading'],
  ['learning', 'teacher', '/grading?episode={episode_id}'],
  ['learning', 'learner', '/test?id={test_id}&episode={episode_id}'],
  ['learning', 'teacher', '/test?id={test_id}&episode={episode_id}&learner={learner_id}'],
  ['learning', 'teacher', '/test/edit?id={test_id}&episode={episode_id}'],
  ['learning', 'learner', '/learning'],
  ['learning', 'learner', '/grades'],
  ['learning', 'owner', '/innovation'],
  ['learning', 'owner', '/system'],
  ['learning', 'nobody', '/certificate?code={certificate}'],
  ['learning', 'nobody', '/unsubscribe?token=x'],
  ['learning', 'nobody', '/docs'],
  ['learning', 'nobody', '/no/such-page'],

  ['sso', 'nobody', '/sign-in'],
  ['sso', 'anna', '/sign-in/done'],
  ['sso', 'anna', '/sign-in/out'],
  ['sso', 'known', '/sign-in?site_code={site_code}'],
  ['sso', 'asked', '/sign-in/consent?site_code={site_code}'],
  ['sso', 'halfway', '/sign-in/mfa?site_code=collections'],
  ['sso', 'enrolling', '/sign-in/mfa/enrol?site_code={strict_code}'],
  ['sso', 'nobody', '/sign-up'],
  ['sso', 'nobody', '/sign-up/password'],
  ['sso', 'nobody', '/sign-up/password#token=x'],
  ['sso', 'nobody', '/forgot-password'],
  ['sso', 'nobody', '/reset-password'],
  ['sso', 'nobody', '/verify-email'],
  ['sso', 'anna', '/account'],
  ['sso', 'returning', '/account/confirm?to=/account/erase'],
  ['sso', 'proving', '/account/confirm/factor?to=/account/erase'],
  ['sso', 'anna', '/account/email'],
  ['sso', 'anna', '/account/email-confirm'],
  ['sso', 'anna', '/account/email-undo#token=x'],
  ['sso', 'anna', '/account/profile'],
  ['sso', 'anna', '/account/password'],
  ['sso', 'anna', '/account/security'],
  ['sso', 'anna', '/account/sessions'],
  ['sso', 'anna', '/account/activity'],
  ['sso', 'anna', '/account/sites'],
  ['sso', 'anna', '/account/erase'],
  ['sso', 'operator', '/console'],
  ['sso', 'maker', '/console'],
  ['sso', 'operator', '/console/people'],
  ['sso', 'operator', '/console/people/:user_id'],
  ['sso', 'operator', '/console/sites'],
  ['sso', 'operator', '/console/sites/new'],
  ['sso', 'operator', '/console/sites/:site_id'],
  ['sso', 'operator', '/console/webhooks?site_code={site_code}'],
  ['sso', 'operator', '/console/imports'],
  ['sso', 'operator', '/console/enterprise?site_code={site_code}'],
  ['sso', 'operator', '/console/orders?site_code={strict_code}&open={order_id}'],
  ['sso', 'operator', '/console/audit'],
  ['sso', 'operator', '/console/messages'],
  ['sso', 'operator', '/console/settings'],
  ['sso', 'operator', '/console/settings?show=keys'],
  ['sso', 'operator', '/console/settings?mail=mfa_code'],
  ['sso', 'operator', '/console/settings?show=retention'],
  ['sso', 'operator', '/console/settings?show=deprecations'],
  ['sso', 'operator', '/console/settings?show=program'],
  ['sso', 'nobody', '/status'],
  ['sso', 'nobody', '/docs'],
  ['sso', 'nobody', '/no/such-page'],

  ['collections', 'anna', '/'],
  ['collections', 'anna', '/?collection={collection_id}'],
  ['collections', 'anna', '/uploads'],
  ['collections', 'nobody', '/?signed_in=1'],
  ['collections', 'nobody', '/docs'],
  ['collections', 'nobody', '/no/such-page'],
]

/** What is asked for as a document but is none: data, files, and addresses that only lead on. */
const NO_PAGES: Record<Service, string[]> = {
  sso: [
    '/',
    '/sign-in/passkey',
    '/sign-in/passkey/options',
    '/sign-up/passkey',
    '/sign-up/passkey/create',
    '/reset-password/passkey',
    '/reset-password/passkey/create',
    '/sign-out',
    '/account/security/add',
    '/account/security/activate',
    '/account/security/remove',
    '/account/security/recovery-codes',
    '/console/approvals',
    '/openid/authorize',
    '/openid/userinfo',
    '/openid/end-session',
    '/sso/:connection_id/start',
    '/sso/oidc/callback/:connection_id',
    '/sso/saml/:connection_id/finish',
    '/sso/saml/:connection_id/metadata',
    '/branding.css',
  ],
  learning: ['/files/:channel_id/:id', '/calendar/:file', '/openapi.json'],
  collections: ['/openapi.json'],
}
const FOR_PROGRAMS =
  /^\/(?:api|v1|scim|assets|(?:sandbox\/)?\.well-known)\/|^\/(?:health|livez|readyz|metrics)$|^\/docs\/.*json$/

/** Screenshots of every page go to the folder in PICTURES: `npm run pictures`. */
const { PICTURES } = process.env
if (PICTURES) mkdirSync(PICTURES, { recursive: true })

const LOST = '/no/such-page'
/** What search engines call good is 0.1. */
const MAX_SHIFT = 0.05
/** Calls to the API of learning until a page of it is there. The bell asks once the page has nothing else to do. */
const MAX_CALLS = 5
const PASSWORD = 'correct horse 42'
/** The third has the colours of the first. */
const VARIANTS: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light', viewport: { width: 360, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  German: { colorScheme: 'light', viewport: { width: 360, height: 900 }, locale: 'de-DE' },
}

/** Chromium warns of what was preloaded in vain only after some seconds, so this looks itself. */
const FETCHED = `{
  const [fetched, ask] = [(window.__fetched = new Set()), window.fetch]
  window.fetch = (what, ...more) => (fetched.add(new URL(what.url ?? what, location).href), ask(what, ...more))
}`
const IN_VAIN = `Array.from(document.querySelectorAll('link[rel=preload][as=fetch]'), ({ href }) => href)
  .filter((href) => !window.__fetched.has(href))`

type Cookies = Record<string, string>
type Look = { name: string; calls: string[] } & Awaited<ReturnType<typeof aWindow>>

describe('every page passes axe, holds still and stays within its width', () => {
  let product: SharedProduct
  let media: Awaited<ReturnType<typeof startVideoServer>>
  let ids: Record<string, string>
  let looks: Look[]
  /** Who looks, as the cookies of their browser. Those that serve once, or a few minutes, are made for each look. */
  const people: Record<string, Cookies | (() => Promise<Cookies>)> = { nobody: {} }

  before(async () => {
    media = await startVideoServer(1_260)
    product = atOneName(await sharedProduct())
    const campus = await aCampus(product, media.video)
    ids = { ...idsOf(campus), site_code: product.site_code, certificate: await aCertificate(campus) }
    for (const who of ['learner', 'teacher', 'owner'] as const)
      people[who] = { access_token: (who === 'owner' ? product.owner : campus[who]).access_token }
    await signEverybodyIn()
    looks = await Promise.all(
      Object.entries(VARIANTS).map(async ([name, options]) => {
        const look = {
          name,
          calls: [] as string[],
          ...(await aWindow({ reducedMotion: 'reduce', ...options })),
        }
        await look.page.addInitScript(FETCHED)
        look.page.on('request', (request) => {
          const { origin, pathname } = new URL(request.url())
          if (
            origin === product.learning &&
            pathname.startsWith('/api/') &&
            pathname !== '/api/notifications'
          )
            look.calls.push(pathname)
        })
        return look
      }),
    )
  })
  after(() => media.close())

  /** A channel of one episode, passed by somebody with a name. */
  async function aCertificate({ teacher }: Campus): Promise<string> {
    const channel = await ask(product, teacher, '/api/channels', {
      title: 'Tides',
      episodes: [{ title: 'One', status: 'published' }],
    })
    const passer = await aPerson('learning', 'Mira Okafor')
    await ask(product, passer, '/api/enroll', { channel_id: channel.id })
    await ask(product, passer, '/api/progress', { episode_id: channel.episodes[0].id, completed: true })
    const { code } = await ask(product, passer, `/api/channels/${channel.id}/certificate`, {})
    return String(code)
  }

  /** Somebody new, signed in at one of our sites through the API. */
  async function aPerson(site: string, display_name: string) {
    const email = `${randomBytes(5).toString('hex')}@example.org`
    const headers = { 'x-sso-site-key': product.firstRun.sites[site]?.site_key ?? '' }
    const body = { email, password: PASSWORD, display_name }
    await call(`${product.sso}/api/v1/auth/register`, { headers, body })
    const { access_token } = (
      await call(`${product.sso}/api/v1/auth/login`, { headers, body: { email, password: PASSWORD } })
    ).body
    return {
      email,
      access_token: String(access_token),
      headers: { authorization: `Bearer ${String(access_token)}` },
    }
  }

  /** The cookies of a browser in which somebody gave the right password on our page, and what another page then sets. */
  async function passwordGiven(email: string, site_code: string, then?: string): Promise<Cookies> {
    const { jar, visit } = aBrowser()
    const post = async (path: string, fields: Record<string, string>) => {
      const page = new URL(path, product.sso)
      const [, form_token = ''] =
        /name="form_token" value="([^"]+)"/.exec(await (await visit(page)).text()) ?? []
      const headers = { origin: page.origin, 'sec-fetch-site': 'same-origin' }
      const reply = await visit(page, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ form_token, ...fields }),
      })
      return reply.headers.get('location') ?? assert.fail(`${path}: ${reply.status}`)
    }
    const next = await post(`/sign-in?site_code=${site_code}`, { name: email, password: PASSWORD })
    // Only the first of the three windows is asked.
    if (next.startsWith('/sign-in/consent') && then === 'allow') await post(next, { decision: then })
    else if (then !== undefined && then !== 'allow') await visit(new URL(then, product.sso))
    return Object.fromEntries(jar)
  }

  async function signEverybodyIn() {
    const say = (who: { headers: Record<string, string> }, path: string, body: object, method?: string) =>
      ask({ ...product, learning: product.sso }, who as never, `/api/v1${path}`, body, method)
    const anna = await aPerson('collections', 'Anna Blume')
    const theo = await aPerson('collections', 'Theo Kern')
    const maker = await aPerson('console', 'Maria Stern')
    await say(maker, '/sites', { name: 'Evening School', environment: 'production' })
    const operator = { headers: await adminHeaders(product, 'console') }
    const callback_url = 'https://partner.example.org/home'
    await say(
      product.owner,
      `/sites/${product.firstRun.sites['learning']?.site_id}`,
      { callback_url },
      'PATCH',
    )

    const strict = await say(theo, '/sites', { name: 'Strict School', environment: 'production' })
    const begun = await say(theo, '/mfa/factors', { type: 'totp' })
    const code = new TOTP({ secret: String(begun.secret) }).generate({ timestamp: Date.now() - 30_000 })
    await say(theo, `/mfa/factors/${begun.factor_id}/activate`, { code })
    await say(theo, `/sites/${strict.site_id}`, { callback_url, require_mfa: 'all' }, 'PATCH')
    const order = await say(operator, '/admin/orders', {
      site_code: strict.site_code,
      plan: 'business',
      amount: 0,
    })
    const collection = await ask({ ...product, learning: product.collections }, anna, '/api/collections', {
      name: 'Museum',
    })
    for (const name of ['Bridge', 'Harbour'])
      await ask(
        { ...product, learning: product.collections },
        anna,
        `/api/collections/${collection.id}/items`,
        { name },
      )
    Object.assign(ids, {
      user_id: userOf(anna),
      site_id: strict.site_id,
      strict_code: strict.site_code,
      order_id: order.order_id,
      collection_id: collection.id,
    })
    Object.assign(people, {
      anna: { access_token: anna.access_token },
      maker: { access_token: maker.access_token },
      operator: { access_token: operator.headers['authorization']?.slice(7) },
      // What somebody is asked in one browser ends what they were asked in another.
      asked: async () => passwordGiven((await aPerson('collections', 'Ben Adler')).email, product.site_code),
      known: async () => passwordGiven((await aPerson('collections', 'Ben Adler')).email, 'collections'),
      returning: () => passwordGiven(anna.email, 'collections', `/sign-in?return_to=${product.sso}/account`),
      halfway: () => passwordGiven(theo.email, 'collections'),
      enrolling: () => passwordGiven(anna.email, strict.site_code, 'allow'),
      async proving() {
        const { mfa_token, mfa_methods } = await say(theo, '/auth/reauthenticate', { password: PASSWORD })
        return { access_token: theo.access_token, sso_proof: [mfa_token, ...mfa_methods].join('.') }
      },
    })
  }

  /** All that is wrong with a page in one look, so that no look is left half done. */
  async function faultsOf(look: Look, service: Service, path: string, row: { who: string; route: string }) {
    const { name, page, problems, calls } = look
    const found = people[row.who] ?? assert.fail(`nobody is called ${row.who}`)
    try {
      const cookies = Object.entries(typeof found === 'function' ? await found() : found)
      ;[problems.length, calls.length] = [0, 0]
      await page.context().clearCookies()
      await page
        .context()
        .addCookies(cookies.map(([key, value]) => ({ name: key, value, url: product[service] })))
      const { cls, moved } = await measure(page, product[service] + path)
      const isLost = row.route === LOST
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      const inVain = await page.evaluate<string[]>(IN_VAIN)
      if (PICTURES) {
        const picture = `${service}-${row.who}-${row.route.replaceAll(/[^a-z_]+/g, '-')}-${name}.png`
        await page.screenshot({ path: join(PICTURES, picture), fullPage: true })
      }
      const refusals =
        service === 'learning' && row.who !== 'nobody' ? await page.locator('.panel').count() : 0
      return [
        ...(refusals === 0 ? [] : ['shows a refusal']),
        ...(isLost || isRoute(row.route, new URL(page.url()).pathname) ? [] : [`leads to ${page.url()}`]),
        ...(cls <= MAX_SHIFT ? [] : [`moves while it opens: ${moved}`]),
        ...(isWide ? ['scrolls sideways'] : []),
        ...(calls.length <= MAX_CALLS ? [] : [`asks ${calls.length} times: ${calls.join(' ')}`]),
        ...inVain.map((href) => `preloads ${href} in vain`),
        ...(await axeFaults(page, { without: name === 'German' ? ['color-contrast'] : [] })),
        ...problems.filter((problem) => !(isLost && problem.includes('status of 404'))),
      ].map((fault) => `${name}: ${fault}`)
    } catch (error) {
      return [`${name}: ${String(error)}`]
    }
  }

  for (const [service, who, route] of PAGES)
    test(`${service} ${route} for ${who}`, async () => {
      const path = route.replaceAll(
        /\{(\w+)\}|:(\w+)/g,
        (_, a: string, b: string) => ids[a ?? b] ?? assert.fail(a ?? b),
      )
      const faults = await Promise.all(looks.map((look) => faultsOf(look, service, path, { who, route })))
      assert.deepEqual(faults.flat(), [])
    })
})

/** Whether a path is one that the route answers. */
const isRoute = (route: string, pathname: string) =>
  new RegExp(`^${routeOf(route).replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname)
const routeOf = (route: string) => route.replace(/[?#].*$/s, '')

const userOf = ({ access_token }: Somebody) => String(decodeJwt(access_token).sub)
function idsOf(campus: Campus): Record<string, string> {
  const texts = Object.entries(campus).filter((one): one is [string, string] => typeof one[1] === 'string')
  return { ...Object.fromEntries(texts), learner_id: userOf(campus.learner) }
}

for (const service of ['sso', 'learning', 'collections'] as const)
  test(`every page of ${service} is in the table`, async () => {
    const rows = PAGES.flatMap(([of, , route]) => (of === service ? routeOf(route) : []))
    const { declaredRoutes } = (await world())[service]
    const routes = declaredRoutes
      .filter(({ method, url }) => method === 'GET' && !FOR_PROGRAMS.test(url))
      .map(({ url }) => url)
    assert.deepEqual(
      routes.filter((url) => !rows.includes(url) && !NO_PAGES[service].includes(url)),
      [],
    )
    const gone = [...rows, ...NO_PAGES[service]].filter((url) => url !== LOST && !routes.includes(url))
    assert.deepEqual(gone, [])
  })
