/**
 * Operations of the contracts that are not built yet, as the documents write them. This list only shrinks: the
 * contract test fails as soon as one of them is registered and still stands here.
 */
export const pendingRoutes: Record<'sso' | 'learning' | 'collections', string[]> = {
  sso: [
    'POST /api/v1/bulk/register',
    'GET /api/v1/bulk/jobs/{job_id}',
    'GET /api/v1/payments/orders',
    'GET /api/v1/payments/orders/{order_id}',
  ],
  learning: [
    'POST /api/innovation/run/{agent_type}',
    'GET /api/innovation/status',
    'GET /api/innovation/suggestions',
    'PUT /api/innovation/suggestions/{id}',
  ],
  collections: [
    'POST /api/collections',
    'GET /api/collections/{id}',
    'PATCH /api/collections/{id}',
    'DELETE /api/collections/{id}',
    'GET /api/collections/{id}/items',
    'POST /api/collections/{id}/items',
    'DELETE /api/collections/{id}/items/{item_id}',
    'GET /api/collections/{id}/members',
    'POST /api/collections/{id}/members',
    'PATCH /api/collections/{id}/members/{user_id}',
    'DELETE /api/collections/{id}/members/{user_id}',
    'POST /api/bulk/upload',
    'GET /api/bulk/template',
  ],
}
