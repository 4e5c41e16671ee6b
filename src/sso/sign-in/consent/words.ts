/** What each scope gives to a site, in words for the person. */
const WORDS: Record<string, string> = {
  openid: 'An account number that stays the same, so that it knows you again',
  profile: 'Your name, username, picture, language and time zone',
  email: 'Your e-mail address',
  phone: 'Your phone number, if you gave one',
  offline_access: 'Access while you are away, until you disconnect it',
}

export const wordsOf = (scopes: readonly string[]): string[] =>
  Object.entries(WORDS).flatMap(([scope, words]) => (scopes.includes(scope) ? [words] : []))

/** Holds for every site, whatever scopes it asked for: this is what membership means. */
export const OF_MEMBERS =
  'Its administrators see you in their list of members with your name, e-mail address and phone number. It can change your name, picture, language and time zone.'
