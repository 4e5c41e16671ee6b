import type { Catalogue } from '#foundation/web/client/texts.ts'

export const TREE_TEXTS = {
  en: {
    filter: 'Find a collection',
    tree: 'Tree of collections',
    again: 'Try again',
    none: 'You have no collections yet.',
    nothing: 'No collection has such a name.',
    more: { one: '{count} more', other: '{count} more' },
  },
  de: {
    filter: 'Sammlung finden',
    tree: 'Baum der Sammlungen',
    again: 'Noch einmal',
    none: 'Sie haben noch keine Sammlungen.',
    nothing: 'Keine Sammlung heißt so.',
    more: { one: '{count} weitere', other: '{count} weitere' },
  },
  es: {
    filter: 'Buscar una colección',
    tree: 'Árbol de colecciones',
    again: 'Reintentar',
    none: 'Aún no tiene colecciones.',
    nothing: 'Ninguna colección se llama así.',
    more: { one: '{count} más', other: '{count} más' },
  },
} satisfies Catalogue<string>
