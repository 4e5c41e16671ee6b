/** The context of a trace as W3C Trace Context sends it: who called, in which trace. */
export type TraceContext = { trace_id: string; span_id: string; isSampled: boolean; tracestate?: string }

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Version 00. A later version may append fields, which are ignored; ff is no version. */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
/** No valid header of a known version is longer; one of a later version is cut off here, which makes no difference. */
const LONGEST = 128
/** W3C asks receivers to keep at least this many characters. A longer list is dropped whole. */
const LONGEST_STATE = 512
const STATE = /^[\x20-\x7e]+$/

/** The context that the headers of a request name; undefined if there is none or it is not valid. */
export function readTraceContext({ traceparent, tracestate }: Headers): TraceContext | undefined {
  return traceparent === undefined ? undefined : parse(firstOf(traceparent), tracestate)
}

/** What `formatTraceContext` made. */
export function parseTraceContext(text: string): TraceContext | undefined {
  const [traceparent = '', ...tracestate] = text.split(' ')
  return parse(traceparent, tracestate.join(' ') || undefined)
}

/** One line for the database: traceparent, and tracestate if there is one. */
export const formatTraceContext = (context: TraceContext): string =>
  [traceparentOf(context), context.tracestate].filter(Boolean).join(' ')

export const traceparentOf = ({ trace_id, span_id, isSampled }: TraceContext): string =>
  `00-${trace_id}-${span_id}-${isSampled ? '01' : '00'}`

function parse(traceparent: string, tracestate: string | string[] | undefined): TraceContext | undefined {
  const [, version, trace_id, span_id, flags = '', more] = TRACEPARENT.exec(traceparent) ?? []
  if (trace_id === undefined || span_id === undefined || (version === '00' && more !== undefined))
    return undefined
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  const state = Array.isArray(tracestate) ? tracestate.join(',') : tracestate
  const isState = state !== undefined && state.length <= LONGEST_STATE && STATE.test(state)
  return { trace_id, span_id, isSampled, ...(isState && { tracestate: state }) }
}

/** Node joins repeated headers with commas. */
function firstOf(header: string | string[]): string {
  const text = (Array.isArray(header) ? header[0] : header) ?? ''
  return text.slice(0, LONGEST).split(',', 1)[0]?.trim() ?? ''
}
