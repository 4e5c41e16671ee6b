import { type Child, html } from './html.ts'

type Person = { display_name?: string | null; user_email?: string | null; user_id: string }

/** The name of a person, or where there is none, their address. */
export const nameOf = ({ display_name, user_email, user_id }: Person): string =>
  display_name || user_email || user_id

/** The name for a narrow column: an address breaks before its @, not within a word. */
export function breakableName(person: Person): Child {
  const name = nameOf(person)
  const at = name.lastIndexOf('@')
  return at < 0 ? name : html`<span>${name.slice(0, at)}<wbr />${name.slice(at)}</span>`
}

/** The address as a second, quiet line, where the name stands in the first. */
export const addressOf = ({ display_name, user_email }: Person): Child =>
  display_name && user_email && html`<span class="quiet-text under" dir="ltr">${user_email}</span>`
