import type { Page, Request } from 'playwright-core'
import { eventually } from './eventually.ts'

/** What a visitor's browser measures while a page opens. */
export type Vitals = {
  /** Cumulative Layout Shift, as Chromium counts it for search engines: the worst window of five seconds. */
  cls: number
  /** What moved in the worst shift, for the message of a test. */
  moved: string
  /** Largest Contentful Paint (ms). */
  lcp: number
  /** Bytes and number of everything the page fetched. */
  bytes: number
  requests: number
}

const WATCH = `(() => {
  const seen = (window.__vitals = { shifts: [], lcp: 0, inp: 0 })
  const nameOf = (node) => !node ? 'gone' : node.nodeType === 3 ? nameOf(node.parentElement)
    : node.nodeName.toLowerCase() + (node.id ? '#' + node.id : '') + (node.className ? '.' + String(node.className).replaceAll(' ', '.') : '')
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (!entry.hadRecentInput)
        seen.shifts.push({ at: entry.startTime, value: entry.value, what: entry.sources.map(({ node, previousRect, currentRect }) =>
          nameOf(node) + ' ' + previousRect.y + '→' + currentRect.y).join(', ') })
  }).observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.inp = Math.max(seen.inp, entry.interactionId ? entry.duration : 0)
  }).observe({ type: 'event', durationThreshold: 16 })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.lcp = entry.startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
})()`

const READ = `(() => {
  const { shifts, lcp } = window.__vitals
  let [cls, moved] = [0, '']
  for (const first of shifts) {
    let [sum, last] = [0, first.at]
    for (const one of shifts.filter(({ at }) => at >= first.at && at < first.at + 5000)) {
      if (one.at - last > 1000) break
      sum += one.value
      last = one.at
    }
    if (sum > cls) [cls, moved] = [sum, shifts.filter(({ value }) => value > 0.005).map(({ value, what }) => value.toFixed(3) + ' ' + what).join('; ')]
  }
  const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  return { cls, moved, lcp, bytes: all.reduce((sum, { transferSize }) => sum + transferSize, 0), requests: all.length }
})()`

/** A processor four times slower, and a line of 10 Mbit/s with 40 ms. */
export async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const perSecond = 10_000_000 / 8
  const line = { offline: false, latency: 40, downloadThroughput: perSecond, uploadThroughput: perSecond }
  await session.send('Network.emulateNetworkConditions', line)
}

/** The requests of each watched page that have no answer yet. */
const watched = new WeakMap<Page, Set<Request>>()
/** Videos and streams of events never end. */
const ENDLESS = new Set(['media', 'eventsource', 'websocket'])

async function watch(page: Page): Promise<Set<Request>> {
  const known = watched.get(page)
  if (known) return known
  const open = new Set<Request>()
  watched.set(page, open)
  page.on('request', (request) => void (ENDLESS.has(request.resourceType()) || open.add(request)))
  page.on('requestfinished', (request) => void open.delete(request))
  page.on('requestfailed', (request) => void open.delete(request))
  await page.addInitScript(WATCH)
  return open
}

/** Fonts and pictures are there, and two frames have shown them. */
const SHOWN = `document.fonts.ready
  .then(() => Promise.all([...document.images].map((image) => image.loading === 'lazy' || image.decode().catch(() => {}))))
  .then(() => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(shown)))))`

/** Opens an address, waits until the page has its data, and reads what the browser measured. */
export async function measure(page: Page, address: string): Promise<Vitals> {
  const open = await watch(page)
  open.clear()
  await page.goto(address, { waitUntil: 'load' })
  if (await page.locator('#page').count())
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
  // What comes after the data, such as pictures and fonts, moves things as well.
  await page.evaluate(SHOWN)
  while (open.size > 0) {
    await eventually(() => open.size === 0)
    await page.evaluate(SHOWN)
  }
  return page.evaluate<Vitals>(READ)
}

/** Interaction to Next Paint (ms): the slowest answer to a key while somebody types into `field`. */
export async function typeInto(page: Page, field: string): Promise<number> {
  await page.locator(field).first().pressSequentially('What the light of stars tells us.', { delay: 60 })
  await page.waitForTimeout(300)
  return page.evaluate<number>('window.__vitals.inp')
}
