import assert from 'node:assert/strict'
import { eventually } from './eventually.ts'
import { answers, startReceiver } from './receiver.ts'

/** An SMS provider for SMS_URL that accepts every message. */
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
    /** The code in the SMS number `count` to this phone; fails when it does not arrive. */
    async code(phone: string, count = 1): Promise<string> {
      await eventually(() => to(phone).length >= count)
      const [code] = /\b\d{6}\b/.exec(to(phone)[count - 1]?.text ?? '') ?? []
      return code ?? assert.fail('the SMS has no code')
    },
    close: () => receiver.close(),
  }
}
