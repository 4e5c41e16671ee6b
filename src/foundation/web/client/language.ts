import { type Catalogue, type Language, type Texts, textsIn } from './texts.ts'

/** The language of the page, which the server chose. */
export const language = document.documentElement.lang as Language

/** The function that says the texts of a catalogue in the language of the page. */
export const texts = <Key extends string>(catalogue: Catalogue<Key>): Texts<Key> =>
  textsIn(catalogue, language)
