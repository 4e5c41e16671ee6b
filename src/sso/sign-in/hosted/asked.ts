import { Type } from 'typebox'

/** The query that every page of a visit carries on: where it began and where it returns to. */
export const Asked = {
  site_code: Type.Optional(Type.String({ maxLength: 40 })),
  return_to: Type.Optional(Type.String({ maxLength: 2_048 })),
  openid: Type.Optional(Type.String({ maxLength: 12_000 })),
  code_challenge: Type.Optional(Type.String({ maxLength: 100 })),
  code_challenge_method: Type.Optional(Type.String({ maxLength: 10 })),
}
