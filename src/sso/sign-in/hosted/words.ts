import { textsOf } from '../../core/pages/html.ts'
import words from './words.json' with { type: 'json' }

/** The texts of the hosted pages. */
export const t = textsOf(words)
