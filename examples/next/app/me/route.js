import { withUser } from '@lyceum/server/next'
import { client, lyceum } from '../../lib/lyceum.js'

export const GET = withUser(lyceum, async (_request, { user, token }) => {
  const { data } = await client.sso.GET('/api/v1/users/{user_id}', {
    params: { path: { user_id: user.sub } },
    headers: { Authorization: `Bearer ${token}` },
  })
  return Response.json({ email: data.email, role: user.role })
})
