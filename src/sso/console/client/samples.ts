/* How a receiver verifies a delivery: Standard Webhooks, with nothing but what each language brings. */

const NODE = `import { createHmac, timingSafeEqual } from 'node:crypto'

// rawBody: the bytes as they came, before any parser
export function isGenuine(rawBody, headers, secret) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const { 'webhook-id': id, 'webhook-timestamp': time } = headers
  if (Math.abs(Date.now() / 1000 - Number(time)) > 300) return false
  const mac = createHmac('sha256', key).update(\`\${id}.\${time}.\`).update(rawBody).digest()
  return headers['webhook-signature'].split(' ').some((one) => {
    const given = Buffer.from(one.slice('v1,'.length), 'base64')
    return given.length === mac.length && timingSafeEqual(given, mac)
  })
}`

const PYTHON = `import base64, hashlib, hmac, time

# raw_body: the bytes as they came, before any parser
def is_genuine(raw_body, headers, secret):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    stamp = headers["webhook-timestamp"]
    if abs(time.time() - int(stamp)) > 300:
        return False
    signed = f"{headers['webhook-id']}.{stamp}.".encode() + raw_body
    mac = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers["webhook-signature"].split(" ")
    return any(hmac.compare_digest(one, "v1," + mac) for one in given)`

const SHELL = `# body.json: the bytes as they came; ID and TIME: the headers webhook-id and webhook-timestamp
KEY=$(printf %s "\${SECRET#whsec_}" | base64 -d | od -An -tx1 | tr -d ' \\n')
{ printf '%s.%s.' "$ID" "$TIME"; cat body.json; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64
# must be one of the values after v1, in webhook-signature`

export const SAMPLES = [
  { name: 'Node', code: NODE },
  { name: 'Python', code: PYTHON },
  { name: 'Shell', code: SHELL },
]
