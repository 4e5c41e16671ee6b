import type { Catalogue } from '#foundation/web/client/texts.ts'

/* The filters and orders of the list of channels. */

const en = {
  subject: 'Subject',
  any_subject: 'Any subject',
  language: 'Language',
  any_language: 'Any language',
  tag: 'Tag',
  any_tag: 'Any tag',
  sort: 'Sort by',
  newest: 'Newest',
  by_title: 'Title',
  by_learners: 'Most learners',
  apply: 'Apply',
} as const

export const CATALOGUE_TEXTS = {
  en,
  de: {
    subject: 'Fach',
    any_subject: 'Jedes Fach',
    language: 'Sprache',
    any_language: 'Jede Sprache',
    tag: 'Schlagwort',
    any_tag: 'Jedes Schlagwort',
    sort: 'Reihenfolge',
    newest: 'Neueste zuerst',
    by_title: 'Nach Titel',
    by_learners: 'Meiste Lernende zuerst',
    apply: 'Anwenden',
  },
  es: {
    subject: 'Materia',
    any_subject: 'Cualquier materia',
    language: 'Idioma',
    any_language: 'Cualquier idioma',
    tag: 'Etiqueta',
    any_tag: 'Cualquier etiqueta',
    sort: 'Orden',
    newest: 'Más recientes primero',
    by_title: 'Por título',
    by_learners: 'Con más estudiantes primero',
    apply: 'Aplicar',
  },
} satisfies Catalogue<keyof typeof en>
