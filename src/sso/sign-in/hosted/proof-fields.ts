import { Type } from 'typebox'
import { OneOf } from '#foundation/http/schemas.ts'
import { Line } from '../../core/pages/requests.ts'
import { SENT_METHODS } from '../factors/sent-codes.ts'

/** How a code was sent that is on its way. */
export const SendFields = { method: Type.Optional(OneOf([...SENT_METHODS])) }

export const FirstProofFields = {
  code: Type.Optional(Line),
  credential: Type.Optional(Type.String({ maxLength: 20_000 })),
}

/** What proves a second factor. */
export const ProofFields = { ...FirstProofFields, ...SendFields }
