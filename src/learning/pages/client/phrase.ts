import type { Texts } from '#foundation/web/client/texts.ts'
import type { Child } from './html.ts'

/** A text with elements among its values: `phrase(t, 'last_here', { time: when(at) })`. */
export function phrase<Key extends string>(t: Texts<Key>, key: Key, values: Record<string, Child>): Child[] {
  const held = Object.entries(values).map(
    ([name, value]) => [name, typeof value === 'number' ? value : `{${name}}`] as const,
  )
  return t(key, Object.fromEntries(held))
    .split(/\{(\w+)\}/)
    .map((piece, i) => (i % 2 === 0 ? piece : values[piece]))
}
