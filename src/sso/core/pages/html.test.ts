import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { html, textOf } from './html.ts'

describe('a piece of a page', () => {
  for (const hostile of [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' autofocus onfocus='alert(1)",
    '</title><svg onload=alert(1)>',
    '&lt;b&gt; &amp;',
  ])
    test(`escapes ${hostile} between tags and in attributes`, () => {
      const page = textOf(html`<p title="${hostile}">${hostile}</p>`)
      assert.equal(
        page
          .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, '')
          .match(/[<>"']/g)
          ?.join(''),
        '<"">' + '<>',
      )
      assert.ok(!page.includes(hostile))
    })

  test('keeps nested pieces and omits false and undefined', () => {
    const items = ['a&b', 'c'].map((text) => html`<i>${text}</i>`)
    const page = html`<p>${items}${html`<b>!</b>`}${false}${undefined}${0}</p>`
    assert.equal(textOf(page).replaceAll(/\s/g, ''), '<p><i>a&amp;b</i><i>c</i><b>!</b>0</p>')
  })

  test('trusts nothing else as markup', () => {
    const forged = JSON.parse('{"markup":"<b>","Symbol(markup)":"<b>"}')
    assert.throws(() => textOf(html`<p>${forged}</p>`))
  })
})
