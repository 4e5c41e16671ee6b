import type { paths as CollectionsPaths } from '../types/collections.js'
import type { paths as LearningPaths } from '../types/learning.js'
import type { paths as SsoPaths } from '../types/sso.js'

export type Services = { sso: SsoPaths; learning: LearningPaths; collections: CollectionsPaths }
export type Service = keyof Services

/** Where a POST that is repeated with the same `Idempotency-Key` is done once. Every other POST is sent once. */
export const REPEATABLE: { [S in Service]: readonly (keyof Services[S])[] } = {
  sso: ['/api/v1/auth/refresh', '/api/v1/bulk/register'],
  learning: ['/api/episodes/homework/{id}/submit', '/api/episodes/tests/{id}/attempt'],
  collections: [
    '/api/bulk/upload',
    '/api/bulk/jobs/{job_id}/cancel',
    '/api/collections',
    '/api/items/{item_id}/history/{change_id}/put-back',
    '/api/collections/{id}/items',
    '/api/collections/{id}/items/batch',
    '/api/collections/{id}/items/batch-write',
    '/api/collections/{id}/members',
  ],
}
