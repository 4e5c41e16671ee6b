import { Type } from 'typebox'
import { OneOf } from '#foundation/http/schemas.ts'
import { Line } from '../../core/pages/requests.ts'
import { SENT_METHODS } from '../factors/sent-codes.ts'

/** How the code that is on its way was sent. */
export const SendFields = { method: Type.Optional(OneOf([...SENT_METHODS])) }

export const FirstProofFields = {
  code: Type.Optional(Line),
  credential: Type.Optional(Type.String({ maxLength: 20_000 })),
}

export const ProofFields = { ...FirstProofFields, ...SendFields }
