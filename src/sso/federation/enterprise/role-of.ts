import type { Proof } from './proof.ts'
import type { Provider } from './provider.ts'

/** The role from the provider's groups; null for the site's default role, undefined if the connection maps no roles. */
export function roleOf(
  { role_attribute, role_mapping }: Pick<Provider, 'role_attribute' | 'role_mapping'>,
  { attributes }: Pick<Proof, 'attributes'>,
): string | null | undefined {
  if (role_attribute === null) return undefined
  const values = Object.hasOwn(attributes, role_attribute) ? (attributes[role_attribute] ?? []) : []
  return role_mapping.find(({ value }) => values.includes(value))?.role ?? null
}
