/** Far above any event of ours: whoever sends more is not Lyceum. */
const LONGEST = 1_048_576

export type StreamEvent = { type?: string; data?: string; id?: string }

/** Events of a text/event-stream body as we send them, comments as events without anything. An id alone is one, too. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  // What came of an event so far, in pieces: each is looked at once, however small a proxy cuts them.
  let rest: string[] = []
  let length = 0
  let tail = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const text = decoder.decode(value, { stream: true })
      length += text.length
      tail = `${tail}${text}`
      const isOver = tail.includes('\n\n') || tail.includes('\n\r\n')
      tail = tail.slice(-3)
      rest.push(text)
      if (isOver) {
        const blocks = rest.join('').split(/\r?\n\r?\n/)
        rest = [blocks.pop() ?? '']
        length = rest[0]?.length ?? 0
        for (const block of blocks) yield eventOf(block)
      }
      if (length > LONGEST) throw new Error('An event is too long')
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function eventOf(block: string): StreamEvent {
  const event: StreamEvent = {}
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (value === undefined) continue
    if (name === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`
    else if (name === 'id') event.id = value
    else if (name === 'event') event.type = value
  }
  return event
}
