import type { ChildProcess } from 'node:child_process'

/** Answers one kind of question; a rejection reaches the asker as an Error with the same message. */
export type Answerers = Record<string, (payload: never) => unknown>

export type Channel = {
  ask<T>(kind: string, payload?: unknown): Promise<T>
  /** Rejects every open question. The peer has ended. */
  end(): void
}

type Message = {
  questions: [id: number, kind: string, payload: unknown][]
  answers: [id: number, isFault: boolean, result: unknown][]
}

type Peer = Pick<ChildProcess, 'send' | 'on'> | NodeJS.Process

/**
 * Questions and answers between a supervisor and a worker process, in both directions. What is asked or answered within one
 * turn of the event loop leaves as one message, because each message costs a system call and a JSON text.
 */
export function openChannel(peer: Peer, answerers: Answerers): Channel {
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  let last = 0
  let outbox: Message | undefined
  let hasEnded = false

  function post(): Message {
    if (!outbox) {
      const message: Message = { questions: [], answers: [] }
      setImmediate(() => {
        outbox = undefined
        // A peer that ends meanwhile needs no answer; open questions are rejected by `end`.
        if (!hasEnded) peer.send?.(message, undefined, undefined, () => {})
      })
      outbox = message
    }
    return outbox
  }

  async function answer(id: number, kind: string, payload: unknown) {
    try {
      const answerer = answerers[kind]
      if (!answerer) throw new Error(`${kind} is no question`)
      const result = answerer(payload as never)
      // Waiting also for what is no promise would put the answer into the next message.
      const settled = result instanceof Promise ? await result : result
      post().answers.push([id, false, settled])
    } catch (error) {
      post().answers.push([id, true, (error as Error).message])
    }
  }

  peer.on('message', (received: unknown) => {
    const { questions, answers } = received as Message
    for (const [id, isFault, result] of answers) {
      const asked = open.get(id)
      open.delete(id)
      if (isFault) asked?.reject(new Error(result as string))
      else asked?.resolve(result)
    }
    for (const [id, kind, payload] of questions) void answer(id, kind, payload)
  })

  return {
    ask<T>(kind: string, payload?: unknown) {
      if (hasEnded) return Promise.reject(new Error('the other process has ended'))
      const asked = Promise.withResolvers<unknown>()
      open.set(++last, asked)
      post().questions.push([last, kind, payload])
      return asked.promise as Promise<T>
    },
    end() {
      hasEnded = true
      for (const { reject } of open.values()) reject(new Error('the other process has ended'))
      open.clear()
    },
  }
}
