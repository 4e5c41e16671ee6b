/** A hash in the form that an import takes, or the name of a format that it cannot take. */
export type Translated = { hash: string } | { unknown: string }

const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64').replaceAll('=', '')
/** Base64 in any of its alphabets and with any padding, in the one of PHC strings. */
const phc = (text: string) => base64(Buffer.from(text, 'base64'))

const KEYCLOAK_PBKDF2: Record<string, string> = {
  pbkdf2: 'pbkdf2-sha1',
  'pbkdf2-sha256': 'pbkdf2-sha256',
  'pbkdf2-sha512': 'pbkdf2-sha512',
}

/** The credential of a realm export; both arguments are JSON inside its JSON, and a realm holds what its extensions wrote. */
export function fromKeycloak(secretData = '{}', credentialData = '{}'): Translated {
  const [secret, data] = [membersOf(secretData), membersOf(credentialData)]
  const { value, salt } = secret
  const { hashIterations: rounds, algorithm = '' } = data
  if (![value, salt, algorithm].every((one) => typeof one === 'string') || typeof rounds !== 'number')
    return { unknown: 'an unreadable credential' }
  return translated({ value, salt, rounds, algorithm, given: data['additionalParameters'] } as Credential)
}

type Credential = { value: string; salt: string; rounds: number; algorithm: string; given: unknown }

function translated({ value, salt, rounds, algorithm, given }: Credential): Translated {
  const pbkdf2 = Object.hasOwn(KEYCLOAK_PBKDF2, algorithm) ? KEYCLOAK_PBKDF2[algorithm] : undefined
  if (pbkdf2) return { hash: `$${pbkdf2}$i=${rounds}$${phc(salt)}$${phc(value)}` }
  const costs = (given ?? {}) as Record<string, unknown>
  const cost = (name: string) => {
    const [value] = [costs[name]].flat()
    return typeof value === 'string' ? value : ''
  }
  if (algorithm === 'argon2' && cost('version') === '1.3' && ['id', 'i'].includes(cost('type')))
    return {
      hash: `$argon2${cost('type')}$v=19$m=${cost('memory')},t=${rounds},p=${cost('parallelism')}$${phc(salt)}$${phc(value)}`,
    }
  return { unknown: algorithm.slice(0, 40) || 'no algorithm' }
}

/** Of a text that is a JSON object; of any other none. The parser would quote it. */
function membersOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** What the console of the Firebase project shows as hash parameters. */
export type FirebaseProject = { signer_key: string; separator: string; rounds: number; mem_cost: number }

export const fromFirebase = (
  { signer_key, separator, rounds, mem_cost }: FirebaseProject,
  salt: string,
  value: string,
): Translated => ({
  hash: `$fbscrypt$v=1,n=${mem_cost},r=${rounds},p=1,ss=${padded(separator)},sk=${padded(signer_key)}$${padded(salt)}$${padded(value)}`,
})

const padded = (text: string) => Buffer.from(text, 'base64').toString('base64')

/** `password` of django.contrib.auth. Undefined for an account without a usable one. */
export function fromDjango(password: string): Translated | undefined {
  if (password === '' || password.startsWith('!')) return undefined
  const [name = '', ...parts] = password.split('$')
  const [first = '', salt = '', third = '', fourth = '', fifth = ''] = parts
  if (name === 'pbkdf2_sha256' || name === 'pbkdf2_sha1')
    return { hash: `$pbkdf2-${name.slice(7)}$i=${first}$${base64(salt)}$${phc(third)}` }
  if (name === 'scrypt')
    return {
      hash: `$scrypt$ln=${Math.log2(Number(first))},r=${third},p=${fourth}$${base64(salt)}$${phc(fifth)}`,
    }
  if (name === 'argon2' || name === 'bcrypt')
    return { hash: password.slice(name.length + (name === 'bcrypt' ? 1 : 0)) }
  return { unknown: name.slice(0, 40) }
}

/** `user_pass` of WordPress: phpass, or bcrypt since 6.8. */
export function fromWordPress(user_pass: string): Translated | undefined {
  if (user_pass === '') return undefined
  if (/^\$(?:P|H|wp|2y)\$/.test(user_pass)) return { hash: user_pass }
  return { unknown: /^[0-9a-f]{32}$/.test(user_pass) ? 'md5' : 'an unknown form' }
}

/** `passwordHash` of an Auth0 export, which is bcrypt. */
export function fromAuth0(passwordHash: string): Translated {
  return /^\$2[aby]\$/.test(passwordHash) ? { hash: passwordHash } : { unknown: 'no bcrypt' }
}
