import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isEmail, isHostName, profileFaults } from './fields.ts'

describe('isEmail', () => {
  for (const text of [
    'a@b.co',
    "o'hara+tag@mail.example.org",
    '#!$%&*/=?^_`{|}~@example.org',
    'anna@münchen.de',
    'a@xn--mnchen-3ya.de',
    'a@例え.テスト',
    `${'l'.repeat(64)}@example.org`,
    'admin@lyceum.local',
    'a@1.example.org',
  ]) {
    test(`accepts ${text}`, () => assert.equal(isEmail(text), true))
  }
  for (const text of [
    '',
    'a',
    '@',
    'a@',
    '@b.co',
    'a@b',
    'a@localhost',
    'a b@c.de',
    ' a@b.co',
    'a@b.co ',
    'a..b@c.de',
    '.a@b.co',
    'a.@b.co',
    'a@b..co',
    'a@-b.co',
    'a@b-.co',
    'a@.co',
    'a@b.co.',
    '"a b"@c.de',
    'a(x)@b.co',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@1.2',
    'a@b_c.de',
    'a@b.co\n',
    'a@%41.de',
    'a@b.c/d',
    'a@b:80.de',
    'jörg@example.org',
    `${'l'.repeat(65)}@example.org`,
    `a@${'d'.repeat(64)}.org`,
    `a@${'d.'.repeat(126)}org`,
    'a@ｂ。co',
    'a@b@c.de',
    'Anna <a@b.co>',
    'a@b.co,c@d.ef',
  ]) {
    test(`refuses ${JSON.stringify(text)}`, () => assert.equal(isEmail(text), false))
  }
})

test('a host name needs two labels', () => {
  assert.deepEqual(['a.b', 'a', '', 'a.b/c', 'a.b:1'].map(isHostName), [true, false, false, false, false])
})

test('every invalid field is reported once', () => {
  const faults = profileFaults({
    email: 'x',
    username: 'ab',
    phone: '1',
    locale: 'x',
    time_zone: '+01:00',
    metadata: { long: 'x'.repeat(20_000) },
  })
  assert.deepEqual(
    faults.map(({ field, code }) => [field, code]),
    [
      ['email', 'invalid_email'],
      ['username', 'invalid_username'],
      ['phone', 'invalid_phone'],
      ['locale', 'invalid_locale'],
      ['time_zone', 'invalid_time_zone'],
      ['metadata', 'too_long'],
    ],
  )
})

test('ordinary fields are accepted', () => {
  for (const locale of ['de', 'pt-BR', 'zh-Hant-TW', 'sr-Latn', 'es-419'])
    for (const time_zone of ['UTC', 'Europe/Berlin', 'America/Argentina/Ushuaia', 'Asia/Kolkata'])
      assert.deepEqual(profileFaults({ locale, time_zone, phone: '+15551234567', username: 'A.b_c-1' }), [])
})
