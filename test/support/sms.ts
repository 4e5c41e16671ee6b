import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { answers, startReceiver } from './receiver.ts'

/** A provider at SMS_URL that takes everything it is sent. */
export async function startSmsProvider() {
  const receiver = await startReceiver(answers(200))
  const to = (phone: string) =>
    receiver.requests
      .map(({ body }) => JSON.parse(body.toString()) as { to: string; text: string })
      .filter((sms) => sms.to === phone)

  return {
    url: receiver.url,
    requests: receiver.requests,
    to,
    /** The code of the SMS to this number that makes `count` of them; fails when none comes. */
    async code(phone: string, count = 1): Promise<string> {
      for (const end = performance.now() + 9_000; to(phone).length < count;) {
        assert.ok(performance.now() < end, `${to(phone).length} SMS came to ${phone}, not ${count}`)
        await wait(20)
      }
      const [code] = /\b\d{6}\b/.exec(to(phone)[count - 1]?.text ?? '') ?? []
      return code ?? assert.fail('the SMS has no code')
    },
    close: () => receiver.close(),
  }
}
