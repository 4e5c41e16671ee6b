import { textsOf } from '../../core/pages/html.ts'
import words from './words.json' with { type: 'json' }

/** The texts of the account pages. */
export const t = textsOf(words)
export const toOverview = { href: '/account', text: t('overview') }
