import { test } from 'node:test'
import { aUser, anAdmin, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'
test('smoke', async () => {
  const { sso, firstRun } = await world()
  console.log(firstRun)
  const anna = await aUser()
  console.log(anna)
  for (const url of ['/api/v1/sessions', '/v1/sessions', '/api/v1/sites', `/api/v1/users/${anna.user_id}`, '/status', '/health', '/livez']) {
    const r = await sso.inject({ url, headers: anna.headers })
    console.log(url, r.statusCode, r.body)
  }
  const h = { 'x-sso-site-key': firstRun.sites['learning']!.site_key }
  const r = await sso.inject({ method: 'POST', url: '/api/v1/auth/refresh', headers: { ...h, 'idempotency-key': 'a' }, payload: { refresh_token: anna.refresh_token } })
  console.log(r.statusCode, r.body)
  const r1 = await sso.inject({ method: 'POST', url: '/api/v1/auth/refresh', headers: { ...h, 'idempotency-key': 'a' }, payload: { refresh_token: anna.refresh_token } })
  console.log(r1.statusCode, r1.headers, r1.body === r.body)
  const r2 = await sso.inject({ method: 'POST', url: '/api/v1/auth/logout', headers: { ...h }, payload: { refresh_token: anna.refresh_token } })
  console.log(r2.statusCode, r2.body)
  const admin = await anAdmin()
  console.log(admin)
  console.log((await sso.inject({ url: '/api/v1/sites', headers: admin.headers })).body)
})
