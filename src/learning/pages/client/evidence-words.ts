import { texts } from '#foundation/web/client/language.ts'
import { EVIDENCE_TEXTS, type EvidenceWord } from './evidence-texts.ts'

const t = texts(EVIDENCE_TEXTS)

const isKnown = (name: string): name is EvidenceWord => Object.hasOwn(EVIDENCE_TEXTS.en, name)

/** Plain words for a name of evidence or a reason of a risk. What has none reads as it is called. */
export const wordsOf = (name: string) => (isKnown(name) ? t(name) : name.replaceAll('_', ' '))
