import { aWindow, browser } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import { newDataDir, removeDataDir, startProduct } from '#testing/product.ts'

/**
 * `npm run bench -- --only long`: the pages of a channel of 500 episodes in Chromium, in ms: from the request to the whole
 * page, and from a key to the picture that shows it, the slowest of twenty. Ends with 1 where a bound is broken.
 */
const [EPISODES, ROUNDS, KEYS] = [500, 5, 40]
const MAX = { open: 1_000, key: 30 }

/** When the page has its content in a frame, and for each key how long until the frame with it is made. */
const WATCH = `(() => {
  window.keys = []
  const made = (then) => requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel(); port1.onmessage = then; port2.postMessage(0) })
  new MutationObserver((_, me) => {
    if (!document.querySelector('#page[aria-busy=false]')) return
    me.disconnect()
    made(() => (window.opened = performance.now()))
  }).observe(document, { childList: true, subtree: true, attributes: true })
  addEventListener('keydown', () => { const from = performance.now(); made(() => window.keys.push(performance.now() - from)) }, true)
})()`

const dataDir = newDataDir()
const product = await startProduct(dataDir)
try {
  const teacher = await somebody(product, 'teacher@example.org')
  const learner = await somebody(product, 'learner@example.org')
  const { id } = await ask(product, teacher, '/api/channels', {
    title: 'A long channel',
    episodes: Array.from({ length: EPISODES }, (_, i) => ({
      title: `Episode ${i + 1}, and what it is about`,
      season: 1 + Math.floor(i / 50),
      description: 'What is said in it, in a sentence or two, as a catalogue would have it.',
      video: { url: `https://media.example.org/${i}.mp4`, duration_seconds: 600 + i },
    })),
  })
  await ask(product, learner, '/api/enroll', { channel_id: id })
  console.log(
    `\na channel of ${EPISODES} episodes in Chromium, ms; bars ${MAX.open} to open, ${MAX.key} a key`,
  )
  await line('channel, learner', learner, `/channel?id=${id}`, '.channel input[type=search]')
  await line('channel, teacher', teacher, `/channel?id=${id}`, '.channel input[type=search]')
  await line('channel/edit, title of the channel', teacher, `/channel/edit?id=${id}`, '[name=title]')
  await line('channel/edit, description', teacher, `/channel/edit?id=${id}`, '[name=description]')
  await line(
    'channel/edit, title of the last episode',
    teacher,
    `/channel/edit?id=${id}`,
    '.row:last-child [name=title]',
  )
} finally {
  await product.end()
  removeDataDir(dataDir)
  await (await browser()).close()
}

async function line(name: string, who: Somebody, path: string, field: string) {
  const opened: number[] = []
  let keys: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { page } = await aWindow({ viewport: { width: 1280, height: 900 } })
    await page.context().addCookies([cookieOf(product, who)])
    await page.addInitScript(WATCH)
    await page.goto(product.learning + path)
    await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
    await page.waitForTimeout(300)
    opened.push(await page.evaluate<number>('window.opened'))
    if (round === ROUNDS - 1) {
      await page.locator(field).first().pressSequentially('x'.repeat(KEYS), { delay: 60 })
      await page.waitForTimeout(200)
      keys = await page.evaluate<number[]>('window.keys')
    }
    await page.context().close()
  }
  const [open, key] = [at(opened, 0.5), at(keys, 0.95)]
  const isSlow = open > MAX.open || key > MAX.key
  if (isSlow) process.exitCode = 1
  console.log(
    `${name.padEnd(42)} opens ${open.toFixed(0).padStart(5)}   a key ${at(keys, 0.5).toFixed(1).padStart(5)} at p50, ${key.toFixed(1).padStart(5)} at p95${isSlow ? '  ABOVE' : ''}`,
  )
}

function at(values: number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? NaN
}
