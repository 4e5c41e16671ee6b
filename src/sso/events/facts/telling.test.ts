import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { profileIn } from '../../core/profile.ts'
import {
  paymentCompleted,
  roleAssigned,
  sessionCreated,
  sessionsRevoked,
  userAccountDeleted,
  userCreated,
  userUpdated,
} from './telling.ts'

const site = { site_id: 's1', site_code: 'school', environment: 'production' } as const
const at = '2026-01-02T03:04:05.678Z'

const created = userCreated(site, {
  user_id: 'u1',
  email: 'zoe@example.org',
  email_verified: false,
  display_name: 'Zoë',
  registration_source: 'register',
  created_at: at,
})
const updated = userUpdated(
  'sandbox',
  ['s1', 's2'],
  {
    user_id: 'u1',
    email: 'zoe@example.org',
    email_verified: true,
    ...profileIn({ username: 'zoe', display_name: 'Zoë', locale: 'de-CH' }),
    version: 4,
  },
  ['username'],
)
const deleted = userAccountDeleted('production', ['s1'], {
  user_id: 'u1',
  reason_code: 'user_initiated_erasure',
  ccpa_drop_request: false,
  gdpr_erasure_request: true,
})
const signedIn = sessionCreated(site, {
  session_id: 'x1',
  user_id: 'u1',
  auth_methods: ['pwd', 'otp'],
  ip_address: '192.0.2.7',
  user_agent: 'Mozilla',
  created_at: at,
})
const revocation = {
  environment: 'production',
  user_id: 'u1',
  reason: 'logout_everywhere',
  session_version: 7,
  not_before: at,
  all_sessions: true,
  initiating_site_code: 'school',
} as const
const revoked = sessionsRevoked({
  ...revocation,
  sessions: [
    { session_id: 'x1', site_id: 's1', site_code: 'school' },
    { session_id: 'x2', site_id: 's2', site_code: 'library' },
    { session_id: 'x3', site_id: 's1', site_code: 'school' },
  ],
})
const assigned = roleAssigned(site, {
  user_id: 'u1',
  role: 'ADMIN',
  permissions: ['users:read'],
  assigned_by: 'u2',
  assigned_at: at,
})
const paid = paymentCompleted(site, {
  order_id: 'o1',
  plan: 'business',
  amount: 49_900,
  currency: 'USD',
  fulfilled_at: at,
})

describe('the events of a change', () => {
  test('cover all eight events of the document', () => {
    const facts = [created, updated, deleted, signedIn, ...revoked, assigned, paid]
    assert.deepEqual([...new Set(facts.map(({ event_type }) => event_type))].toSorted(), [
      'back_channel_logout',
      'payment.completed',
      'role.assigned',
      'session.created',
      'session.revoked',
      'user.account.deleted',
      'user.created',
      'user.updated',
    ])
  })

  test('user.created reaches every site, personal data only the origin', () => {
    assert.equal(created.site_ids, null)
    assert.equal(created.origin_site_id, 's1')
    assert.deepEqual(created.data, {
      user_id: 'u1',
      sso_subject_id: 'u1',
      email: 'zoe@example.org',
      email_verified: false,
      display_name: 'Zoë',
      registration_source: 'register',
      origin_site_code: 'school',
      created_at: at,
    })
    assert.deepEqual(created.data_public, {
      sso_subject_id: 'u1',
      origin_site_code: 'school',
      created_at: at,
    })
  })

  test('user.updated has the profile and the changed field names', () => {
    assert.deepEqual(updated.site_ids, ['s1', 's2'])
    assert.deepEqual(updated.data, {
      user_id: 'u1',
      sso_subject_id: 'u1',
      changed_fields: ['username'],
      user: {
        email: 'zoe@example.org',
        email_verified: true,
        ...profileIn({ username: 'zoe', display_name: 'Zoë', locale: 'de-CH' }),
      },
      version: 4,
    })
  })

  test('user.account.deleted has an id and nothing else', () => {
    assert.deepEqual(deleted.data, {
      sso_subject_id: 'u1',
      reason_code: 'user_initiated_erasure',
      compliance_flags: { ccpa_drop_request: false, gdpr_erasure_request: true },
    })
  })

  test('session.created has site, method and client', () => {
    assert.deepEqual(signedIn.site_ids, ['s1'])
    assert.deepEqual(signedIn.data, {
      session_id: 'x1',
      user_id: 'u1',
      sso_subject_id: 'u1',
      site_code: 'school',
      auth_methods: ['pwd', 'otp'],
      ip_address: '192.0.2.7',
      user_agent: 'Mozilla',
      created_at: at,
    })
  })

  test('a revocation sends each site its own sessions only', () => {
    assert.deepEqual(
      revoked.map(({ event_type, site_ids }) => [event_type, site_ids]),
      [
        ['session.revoked', ['s1']],
        ['session.revoked', ['s2']],
        ['session.revoked', ['s1']],
        ['back_channel_logout', ['s1']],
        ['back_channel_logout', ['s2']],
      ],
    )
    assert.deepEqual(revoked[1]?.data, {
      session_id: 'x2',
      user_id: 'u1',
      sso_subject_id: 'u1',
      site_code: 'library',
      reason: 'logout_everywhere',
      session_version: 7,
      not_before: at,
    })
    assert.deepEqual(revoked[3]?.data, {
      sso_subject_id: 'u1',
      session_ids: ['x1', 'x3'],
      all_sessions: true,
      session_version: 7,
      initiating_site_code: 'school',
    })
  })

  test('events hold at most a thousand sessions and omit none', () => {
    const sessions = Array.from({ length: 2_500 }, (_, n) => ({
      session_id: `x${n}`,
      site_id: 's1',
      site_code: 'school',
    }))
    const logouts = sessionsRevoked({ ...revocation, sessions }).filter(
      ({ event_type }) => event_type === 'back_channel_logout',
    )
    const ids = logouts.map(({ data }) => data['session_ids'] as string[])
    assert.deepEqual(
      ids.map(({ length }) => length),
      [1_000, 1_000, 500],
    )
    assert.equal(new Set(ids.flat()).size, 2_500)
  })

  test('role.assigned and payment.completed go to their site', () => {
    assert.deepEqual([assigned.site_ids, paid.site_ids], [['s1'], ['s1']])
    assert.deepEqual(assigned.data, {
      user_id: 'u1',
      sso_subject_id: 'u1',
      site_code: 'school',
      role: 'ADMIN',
      permissions: ['users:read'],
      assigned_by: 'u2',
      assigned_at: at,
    })
    assert.deepEqual(paid.data, {
      order_id: 'o1',
      site_code: 'school',
      plan: 'business',
      amount: 49_900,
      currency: 'USD',
      fulfilled_at: at,
    })
  })
})
