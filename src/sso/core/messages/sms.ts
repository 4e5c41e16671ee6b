import type { Config } from '#foundation/settings/config.ts'
import type { Logger } from '#foundation/log.ts'
import { openOutbound } from '#foundation/outbound/outbound.ts'
import { later, never, SENT, type SmsDriver } from './drivers.ts'

/**
 * Used without an SMS provider: nothing is sent. The log records that an SMS was due, but neither recipient nor text.
 */
export function createSmsLog(log: Logger): SmsDriver {
  return {
    async send({ message_id }) {
      log.warn({ message_id }, 'an SMS was not sent: SMS_URL is not set')
      return never('unsupported')
    },
    close: () => {},
  }
}

/**
 * Sends SMS through the provider at SMS_URL: POST {to, text, message_id} as JSON with SMS_TOKEN as Bearer. 2xx is sent;
 * 4xx other than 401, 403, 408 and 429 is final; everything else is retried. message_id is the same at each attempt.
 */
export function createSmsHttp(smsUrl: string, { SMS_TOKEN, OUTBOUND_ALLOW }: Config): SmsDriver {
  const outbound = openOutbound()
  const url = new URL(smsUrl)
  const policy = {
    mayUseHttp: url.protocol === 'http:',
    mayUseLoopback: true,
    // The operator configured this host, so it may be inside the private network.
    allow: [...OUTBOUND_ALLOW, url.hostname],
    ownPorts: [],
  }
  return {
    async send({ message_id, recipient, text }) {
      const reply = await outbound.send({
        url: smsUrl,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(SMS_TOKEN !== undefined && { authorization: `Bearer ${SMS_TOKEN}` }),
        },
        body: JSON.stringify({ to: recipient, text, message_id }),
        policy,
        partition: 'sms',
      })
      if (!reply.ok) return later(`sms_${reply.error}`)
      const { status } = reply
      if (status >= 200 && status < 300) return SENT
      const isForGood = status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status)
      return isForGood ? never(`sms_${status}`) : later(`sms_${status}`)
    },
    close: () => outbound.close(),
  }
}
