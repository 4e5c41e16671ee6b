import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatTraceContext, parseTraceContext, readTraceContext } from './traceparent.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const valid = `00-${TRACE}-${SPAN}-01`

describe('a traceparent', () => {
  test('names trace, span and the sampled flag', () => {
    const expected = { trace_id: TRACE, span_id: SPAN, isSampled: true }
    assert.deepEqual(readTraceContext({ traceparent: valid }), expected)
    assert.deepEqual(readTraceContext({ traceparent: `00-${TRACE}-${SPAN}-00` }), {
      ...expected,
      isSampled: false,
    })
    assert.deepEqual(readTraceContext({ traceparent: `01-${TRACE}-${SPAN}-01-more` }), expected)
  })

  test('sent several times counts once, as the first', () => {
    const other = valid.replace(TRACE, 'f'.repeat(32))
    assert.equal(readTraceContext({ traceparent: `${valid}, ${other}` })?.trace_id, TRACE)
    assert.equal(readTraceContext({ traceparent: [valid, other] })?.trace_id, TRACE)
    assert.equal(readTraceContext({ traceparent: `nonsense, ${valid}` }), undefined)
  })

  for (const hostile of [
    '',
    'nonsense',
    valid.toUpperCase(),
    `${valid}-more`,
    `${valid}0`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}"}\n{-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-0g`,
    '0'.repeat(16_000),
    `${'-'.repeat(16_000)}${valid}`,
  ])
    test(`${JSON.stringify(hostile.slice(0, 70))} is ignored`, () => {
      assert.equal(readTraceContext({ traceparent: hostile }), undefined)
    })
})

describe('a tracestate', () => {
  test('goes along with a valid traceparent', () => {
    const tracestate = 'vendor=one,other=two three'
    const context = readTraceContext({ traceparent: valid, tracestate })
    assert.equal(context?.tracestate, tracestate)
    assert.ok(context)
    assert.deepEqual(parseTraceContext(formatTraceContext(context)), context)
    assert.equal(readTraceContext({ tracestate }), undefined)
  })

  for (const hostile of ['', 'a=b\r\nx: y', 'a=\u0000', 'a=ü', `a=${'b'.repeat(512)}`])
    test(`${JSON.stringify(hostile.slice(0, 30))} is dropped`, () => {
      const context = readTraceContext({ traceparent: valid, tracestate: hostile })
      assert.deepEqual(context, { trace_id: TRACE, span_id: SPAN, isSampled: true })
    })
})
