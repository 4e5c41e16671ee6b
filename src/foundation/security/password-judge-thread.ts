import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common'
import { dictionary as english } from '@zxcvbn-ts/language-en'
import type { Question, Verdict } from './password-judge.ts'
import { normalized } from '../text.ts'

/**
 * A password with fewer guesses is found within days by an attacker who gets fifty tries per quarter of an hour from
 * many addresses. All common passwords and their variants need fewer.
 */
const ENOUGH = 1_000_000
/**
 * The time of an estimate grows steeply with length, so only the beginning and the end of a longer password are
 * checked.
 */
const LENGTH = 24

/** Common guesses that the library's lists lack. */
const ALSO = [
  'lyceum',
  'administrador',
  'administrateur',
  'contraseña',
  'contrasena',
  'lösenord',
  'losenord',
  'haslo',
  'hasło',
  'heslo',
  'ichliebedich',
  'miamor',
  'teamo',
  'tiamo',
  'woaini',
  'winniethepooh',
  'superuser',
  'wsxedcrfv',
  'admin',
  'login',
  'hotmail',
  'fortnite',
  'roblox',
  'messi',
  'neymar',
  'napoli',
  'xmen',
  '!qaz@wsx',
  '1!2@3#4$',
  'qwe!@#123',
  '1597534682',
  '998877665544',
]

const { 'commonWords-en': words, 'firstnames-en': names } = english
const zxcvbn = new ZxcvbnFactory({
  dictionary: { ...common, words, names, also: ALSO },
  graphs: adjacencyGraphs,
  maxLength: LENGTH,
  l33tMaxSubstitutions: 8,
})

function judge({ password, own }: Question): Verdict {
  if (isOwn(password, own)) return 'personal'
  const letters = Array.from(normalized(password, 'NFKC'))
  const parts = [letters.slice(0, LENGTH), letters.slice(-LENGTH)].slice(0, letters.length > LENGTH ? 2 : 1)
  const inputs = [...new Set(own.flatMap((text) => [text, plain(text), ...wordsOf(text)]))]
  const results = parts.map((part) => zxcvbn.check(part.join(''), inputs))
  if (results.some(({ guesses }) => guesses >= ENOUGH)) return 'good'
  const isPersonal = results.some(({ sequence }) =>
    sequence.some((match) => 'dictionaryName' in match && match['dictionaryName'] === 'userInputs'),
  )
  return isPersonal ? 'personal' : 'common'
}

/** Keeps only letters and digits, in lower case. */
const plain = (text: string) =>
  normalized(text, 'NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2)

/** Whether the password is one of the user's own words, a part of one, or one with at most three more characters. */
function isOwn(password: string, own: readonly string[]): boolean {
  const typed = plain(password)
  return own.map(plain).some((word) => {
    if (word.length < 4 || typed === '') return false
    return word.includes(typed) || (typed.includes(word) && typed.length - word.length <= 3)
  })
}

parentPort?.on('message', (question: Question) => {
  parentPort?.postMessage({ id: question.id, verdict: judge(question) })
})
