import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from './compression.ts'

/**
 * onSend hook of lists: a weak ETag of what is sent, and 304 without a body for the caller that names it (RFC 9110, section 13.1.2).
 * The list is read and its rights are judged all the same. Runs before `compress`, so that both codings share a tag.
 */
export function validate(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
) {
  if (typeof payload !== 'string' || reply.statusCode !== 200) return done(null, payload)
  const tag = `"${createHash('sha256').update(payload).digest('base64url')}"`
  reply.header('ETag', `W/${tag}`)
  const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''))
  if (!known?.some((one) => one === tag || one === '*')) return done(null, payload)
  addVary(reply, 'Accept-Encoding')
  reply.code(304).removeHeader('Content-Type').removeHeader('Content-Length')
  done(null, '')
}
