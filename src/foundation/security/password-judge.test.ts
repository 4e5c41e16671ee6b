import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dictionary } from '@zxcvbn-ts/language-common'
import { judgePassword } from './password-judge.ts'

const OWN = [
  'anna.blume@school.example.org',
  'anna.blume',
  'Anna',
  'Blume',
  'learning',
  'Sunny Meadow School',
]

describe('a new password', () => {
  for (const password of [
    'password',
    'PassWord1',
    '12345678',
    'iloveyou',
    'P@ssw0rd!',
    'Passw0rd2024',
    'qwertyuiop',
    'asdfghjkl1',
    'drowssap',
    'liverpool1',
    'administrador',
    'contraseña1',
    'fortnite1',
    'lyceum123',
    'a'.repeat(128),
    'abcabcabc'.repeat(14),
    'aaaaaaaa'.repeat(8) + 'bbbbbbbb'.repeat(8),
  ])
    test(`is common: ${password.slice(0, 20)}`, async () => {
      assert.equal(await judgePassword(password, []), 'common')
    })

  for (const password of [
    'anna.blume',
    'AnnaBlume1',
    'Blume2011',
    'sunny meadow school',
    'SunnyMeadowSchool',
    '@nnaBlume',
    'learning1',
    'anna.blume@school.example.org',
  ])
    test(`is personal: ${password}`, async () => {
      assert.equal(await judgePassword(password, OWN), 'personal')
    })

  for (const password of [
    'correct horse battery',
    'meadow lark 7731',
    'xK9$mqLw2v',
    'eine Wiese im Regen',
    'пароль из трёх слов',
    '私はさくらが好きです',
    'anna likes purple herons',
    `password ${'xK9$mqLw'.repeat(8)}`,
  ])
    test(`is good: ${password.slice(0, 30)}`, async () => {
      assert.equal(await judgePassword(password, OWN), 'good')
    })

  test('is common if among the ten thousand most used, ignoring case', async () => {
    const used = (dictionary['passwords-common'] ?? []).map(String).filter((each) => each.length >= 8)
    assert.ok(used.length >= 10_000, `${used.length}`)
    const asked = used.slice(0, 10_000).filter((_, place) => place % 20 === 0)
    for (const password of asked)
      for (const typed of [password, password.toUpperCase()])
        assert.equal(await judgePassword(typed, []), 'common', typed)
  })

  test('is judged by another thread, so that it blocks nobody else', async () => {
    const [before, own] = [process.cpuUsage(), process.threadCpuUsage()]
    for (let n = 0; n < 50; n++) await judgePassword(`4@8({[<369&#!1/|0$5+7%${n}`, OWN)
    const [all, here] = [process.cpuUsage(before), process.threadCpuUsage(own)]
    assert.ok(here.user < all.user / 2, `${here.user} of ${all.user} µs`)
  })
})
