import type { FastifyRequest } from 'fastify'
import { decodeJwt } from 'jose'
import { Type } from 'typebox'
import { clock } from '../clock.ts'
import { forbidden } from '../errors.ts'
import { isForeign } from './csrf.ts'

/** What a live page gets to call the API with; `expires_in` is in seconds. */
export const PageToken = Type.Object({ access_token: Type.String(), expires_in: Type.Integer() })

/** 403 unless a page of this origin asks: not even one of our other services, and no program. */
export function requireOwnPage(request: Pick<FastifyRequest, 'headers'>, address: string): void {
  const { origin, 'sec-fetch-site': relation } = request.headers
  const isSame = relation === undefined ? origin !== undefined : relation === 'same-origin'
  if (!isSame || isForeign(request, address)) throw forbidden('csrf', 'Another site asked for this')
}

export function pageToken(access_token: string) {
  const { exp = 0 } = decodeJwt(access_token)
  return { access_token, expires_in: Math.max(0, exp - Math.floor(clock.now() / 1_000)) }
}
