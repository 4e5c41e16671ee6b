import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindow } from '#testing/browser.ts'
import type { Product } from '#testing/product.ts'
import { atOneName, sharedProduct } from '#testing/shared-product.ts'

/** Runs a function body in a page of learning, with its templates and those of the kit: `html, svg, fillWith, lit`. */
const run = <Answer>(page: Page, body: string) =>
  page.evaluate<Answer>(`(async () => {
    const load = (end) => import(document.querySelector('link[rel=modulepreload][href$="' + end + '"]').href)
    const [{ html, svg, fillWith }, lit] = await Promise.all([load('pages/client/html.ts'), load('lit-html.js')])
    ${body}
  })()`)

describe('the templates of learning', () => {
  let [product, page, problems] = [] as unknown as [Product, Page, string[]]
  before(async () => {
    product = atOneName(await sharedProduct())
    ;({ page, problems } = await aWindow())
    await page.goto(`${product.learning}/channels`)
  })
  after(async () => {
    assert.deepEqual(problems, [])
  })

  test('write what people write as text, wherever it stands', async () => {
    const evil = '<img src=x onerror=alert(1)>"\' --><!-- </textarea>'
    const [text, title, area, images] = await run<unknown[]>(
      page,
      `const evil = ${JSON.stringify(evil)}
      const made = html\`<div title="so: \${evil}"><p>\${[evil, [0, null, true, false, undefined]]}</p><textarea>\${evil}</textarea></div>\`
      return [made.querySelector('p').textContent, made.title, made.querySelector('textarea').value, made.querySelectorAll('img').length]`,
    )
    assert.deepEqual([text, title, area, images], [`${evil}0`, `so: ${evil}`, evil, 0])
  })

  test('keep unsafe addresses out, also where they are put together', async () => {
    const hrefs = await run<string[]>(
      page,
      `return [
        html\`<a href=\${'java\\nscript:alert(1)'}></a>\`, html\`<a href="\${'data'}:\${'text/html,x'}"></a>\`,
        html\`<a class="a" href="\${' javascript:'}alert(1)"></a>\`, html\`<button formaction=\${'vbscript:x'}></button>\`,
        html\`<a href="/channel?id=\${'a'}&from=\${7}"></a>\`, html\`<a href="#\${'x'}-fault"></a>\`, html\`<a href=\${'mailto:a@example.org'}></a>\`,
      ].map((made) => made.getAttribute('href') ?? made.getAttribute('formaction'))`,
    )
    assert.deepEqual(hrefs, ['#', '#', '#', '#', '/channel?id=a&from=7', '#x-fault', 'mailto:a@example.org'])
  })

  test('omit false and empty attributes, and call listeners', async () => {
    const [markup, clicks] = await run<unknown[]>(
      page,
      `let clicks = 0
      const made = html\`<input class="a \${false} \${'b'}" disabled=\${false} required=\${true} min=\${0} max=\${null} step=\${undefined}
        onclick=\${() => { clicks += 1 }} onfocus=\${undefined} />\`
      made.click()
      return [made.outerHTML, clicks]`,
    )
    assert.equal(markup, '<input class="a  b" required="" min="0">')
    assert.equal(clicks, 1)
  })

  test('show templates of the kit inside, and parts of drawings', async () => {
    const [text, space, clicks] = await run<unknown[]>(
      page,
      `let clicks = 0
      const part = lit.html\`<button @click=\${() => { clicks += 1 }}>\${'of the kit'}</button>\`
      const made = html\`<div>\${[part, 'and'] } <p>ours</p></div>\`
      made.querySelector('button').click()
      const place = document.createElement('div')
      fillWith(place, 'old')
      fillWith(place, made, null, part)
      return [place.textContent, svg\`<path d=\${'M0 0'} />\`.namespaceURI, clicks]`,
    )
    assert.deepEqual([text, space, clicks], ['of the kitand oursof the kit', 'http://www.w3.org/2000/svg', 1])
    const refused = run(page, 'return html`<p></p><p></p>`')
    await assert.rejects(refused, /html needs one element/)
  })

  test('make five hundred rows, each with values of its own', async () => {
    const rows = await run<string[]>(
      page,
      `const list = document.createElement('ul')
      fillWith(list, Array.from({ length: 500 }, (_, i) => html\`<li class="row is-\${i % 3}">
        <a href="/episode?id=\${i}">\${'Episode'} \${i}</a>\${i % 2 === 0 && html\`<span class="badge">\${'done'}</span>\`}
        <button type="button" aria-label=\${'Remove ' + i} onclick=\${() => {}}>\${'x'}</button></li>\`))
      return Array.from(list.children, (row) => row.className + row.querySelector('a').search + row.querySelectorAll('.badge').length)`,
    )
    assert.deepEqual(
      rows,
      Array.from({ length: 500 }, (_, i) => `row is-${i % 3}?id=${i}${i % 2 === 0 ? 1 : 0}`),
    )
  })
})
