import type { Caller } from './session-gate.ts'

/**
 * What a session shows of its own person, decided in one place for all three services. The person of an OpenID client's
 * session consented to its scope; every other session has none and shows everything. A field that is hidden keeps its
 * type, because programs of partners rely on it.
 */
const HIDDEN_WITHOUT = {
  email: { email: '', email_verified: false },
  phone: { phone: null, phone_verified: false },
  profile: {
    display_name: null,
    given_name: null,
    family_name: null,
    username: null,
    avatar_url: null,
    locale: null,
    time_zone: null,
  },
  /** No scope has that name: the page of consent offers none of these. */
  everything: { metadata: {}, mfa_enabled: false, mfa_methods: [], last_login_at: null },
}

/** The fields, with those empty that no part of the scope names. */
export function withinScope<Fields extends object>(fields: Fields, scope: Caller['scope']): Fields {
  return Object.assign({ ...fields }, hiddenIn(fields, scope))
}

/** Whether the scope hides one of the fields, so that asking for it must not tell what it is. */
export const isHidden = (fields: object, scope: Caller['scope']): boolean =>
  Object.keys(hiddenIn(fields, scope)).length > 0

function hiddenIn(fields: object, scope: Caller['scope']) {
  if (scope === null) return {}
  const asked = scope.split(' ')
  return Object.fromEntries(
    Object.entries(HIDDEN_WITHOUT)
      .filter(([name]) => !asked.includes(name))
      .flatMap(([, hidden]) => Object.entries(hidden))
      .filter(([name]) => name in fields),
  )
}
