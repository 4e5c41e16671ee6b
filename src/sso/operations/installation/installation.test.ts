import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { settings } from '#foundation/settings/settings.ts'
import { anAdmin, anOperator, aUser, homeSite, nobody, signIn } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'

const URL = '/api/v1/admin/settings'

describe('GET /api/v1/admin/settings', () => {
  test('shows an operator every setting, and no secret', async () => {
    const own = await buildWorld({
      env: {
        SMTP_URL: 'smtp://lyceum:canary-1@mail.example.org:587',
        METRICS_TOKEN: 'canary-2',
        SMS_URL: 'https://lyceum:canary-3@sms.example.org/send',
        SSO_RATE_LIMIT_SITE: '61',
        OUTBOUND_ALLOW: '10.0.0.0/8,intranet.example.org',
      },
    })
    const reply = await own.sso.inject({ url: URL, headers: (await anOperator(own)).headers })
    assert.equal(reply.statusCode, 200, reply.body)
    assert.ok(!reply.body.includes('canary'))
    const shown = new Map(
      (reply.json().settings as { name: string; value: string; is_default: boolean }[]).map((one) => [
        one.name,
        one,
      ]),
    )
    assert.deepEqual([...shown.keys()], Object.keys(settings))
    const translations = (reply.json().settings as { translations: object }[]).flatMap((one) =>
      Object.values(one.translations),
    )
    assert.equal(translations.filter(Boolean).length, 2 * shown.size)
    const of = (name: string) => [shown.get(name)?.value, shown.get(name)?.is_default]
    assert.deepEqual(of('SMTP_URL'), ['(set)', false])
    assert.deepEqual(of('REDIS_URL'), ['(not set)', true])
    assert.deepEqual(of('SMS_URL'), ['https://***@sms.example.org/send', false])
    assert.deepEqual(of('SSO_RATE_LIMIT_SITE'), ['61', false])
    assert.deepEqual(of('OUTBOUND_ALLOW'), ['10.0.0.0/8,intranet.example.org', false])
    assert.deepEqual(of('SMS_TOKEN'), ['(not set)', true])
  })

  test('shows periods, deprecated routes once, and mails with example values', async () => {
    const own = await buildWorld()
    const [some] = own.sso.declaredRoutes
    assert.ok(some)
    const deprecated = { since: '2026-01-01', sunset: '2026-08-01', link: 'https://lyceum.example/why' }
    for (const url of ['/api/v1/old', '/v1/old'])
      own.sso.declaredRoutes.push({ ...some, method: 'GET', url, config: { ...some.config, deprecated } })
    const { kept, deprecations, mails } = (
      await own.sso.inject({ url: URL, headers: (await anOperator(own)).headers })
    ).json()
    assert.deepEqual(deprecations, [{ route: 'GET /api/v1/old', ...deprecated }])
    assert.deepEqual([kept.message_days, kept.audit_days, kept.webhook_days], [30, 365, 30])
    const reset = mails.find(({ kind }: { kind: string }) => kind === 'password_reset')
    assert.equal(reset.subject, 'Choose a new password')
    assert.match(reset.text, /example-school[^]*#token=example/)
    assert.equal(reset.translations.de.subject, 'Wählen Sie ein neues Passwort')
    assert.match(reset.translations.es.text, /example-school[^]*#token=example/)
    assert.ok(mails.length > 15 && mails.every(({ text }: { text: string }) => !text.includes('undefined')))
  })

  test('is for operators alone', async () => {
    const { sso } = await world()
    const [admin, person] = [await anAdmin(), await aUser()]
    const statusFor = async ({ headers }: { headers: Record<string, string> }) =>
      (await sso.inject({ url: URL, headers })).statusCode
    for (const caller of [admin, person, await signIn(admin)]) assert.equal(await statusFor(caller), 403)
    for (const caller of [await nobody(), await homeSite()]) assert.equal(await statusFor(caller), 401)
  })
})
