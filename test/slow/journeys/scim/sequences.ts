import { GROUP, PATCH, USER, type Body } from '#testing/scim.ts'

/**
 * Conversations as directories hold them: what Microsoft's SCIM validator and documentation send for Entra ID, and what
 * Okta's SCIM 2.0 test suite sends, in our own words. `{name}` stands for what a step before has kept, `{domain}` for the
 * proven domain of the school, and `{once}` for a word that is new in each run.
 */
export type Step = {
  says: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: Body
  /** Without it the token of the school is sent. */
  authorization?: string
  status: number
  /** What the answer holds at least; `null` for what must be absent. */
  holds?: Body
  /** Values of the answer that later steps refer to, by the path of their names. */
  keeps?: Record<string, string>
  /** Content type of the request, where it is not that of SCIM. */
  type?: string
}

const patch = (...Operations: object[]) => ({ schemas: [PATCH], Operations })
const userByName = (name: string) => `/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}`
const groupByName = (name: string) => `/Groups?filter=${encodeURIComponent(`displayName eq "${name}"`)}`

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const ENTRA_USER = {
  schemas: [USER, ENTERPRISE],
  externalId: 'entra-{once}',
  userName: 'ada-{once}@{domain}',
  active: true,
  displayName: 'Ada Lovelace',
  emails: [{ primary: true, type: 'work', value: 'ada-{once}@{domain}' }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Ada Lovelace', familyName: 'Lovelace', givenName: 'Ada' },
  roles: [],
  title: 'Countess',
  [ENTERPRISE]: { department: 'Analysis', employeeNumber: '1843' },
}
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** Entra ID: matches by userName, writes "True" and "False", names parts by filters, and removes members by a list. */
export const ENTRA: Step[] = [
  {
    says: 'tests the connection with a person who cannot exist',
    method: 'GET',
    path: userByName('7e8f0b3c-no-such-person'),
    status: 200,
    holds: { schemas: [LIST], totalResults: 0, Resources: [] },
  },
  { says: 'reads the schemas', method: 'GET', path: '/Schemas', status: 200, holds: { totalResults: 2 } },
  {
    says: 'looks for the person before it makes one',
    method: 'GET',
    path: userByName('ada-{once}@{domain}'),
    status: 200,
    holds: { totalResults: 0 },
  },
  {
    says: 'makes the person, with more than we keep',
    method: 'POST',
    path: '/Users',
    body: ENTRA_USER,
    status: 201,
    holds: { userName: 'ada-{once}@{domain}', active: true, externalId: 'entra-{once}', title: null },
    keeps: { user: 'id' },
  },
  {
    says: 'makes the same person again, who is a duplicate',
    method: 'POST',
    path: '/Users',
    body: ENTRA_USER,
    status: 409,
    holds: { schemas: [ERROR], scimType: 'uniqueness', status: '409' },
  },
  {
    says: 'reads the person',
    method: 'GET',
    path: '/Users/{user}',
    status: 200,
    holds: { id: '{user}', displayName: 'Ada Lovelace' },
  },
  {
    says: 'finds the person by the name in capitals',
    method: 'GET',
    path: userByName('ADA-{once}@{domain}'),
    status: 200,
    holds: { totalResults: 1, Resources: [{ id: '{user}' }] },
  },
  {
    says: 'finds the person by externalId',
    method: 'GET',
    path: `/Users?filter=${encodeURIComponent('externalId eq "entra-{once}"')}`,
    status: 200,
    holds: { totalResults: 1, Resources: [{ id: '{user}' }] },
  },
  {
    says: 'changes parts of different kinds at once',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patch(
      { op: 'Replace', path: 'displayName', value: 'Ada King' },
      { op: 'Add', path: 'name.familyName', value: 'King' },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'ada.king-{once}@{domain}' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+49 30 1234' },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Engines' },
      { op: 'Remove', path: 'title' },
    ),
    status: 200,
    holds: {
      displayName: 'Ada King',
      name: { familyName: 'King', givenName: 'Ada' },
      emails: [{ type: 'work', primary: true, value: 'ada.king-{once}@{domain}' }],
    },
  },
  {
    says: 'changes several attributes without a path, one of them by a dotted name',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patch({
      op: 'replace',
      value: { 'name.givenName': 'Augusta', preferredLanguage: 'en-GB', [ENTERPRISE]: { division: 'North' } },
    }),
    status: 200,
    holds: { name: { givenName: 'Augusta' }, preferredLanguage: 'en-GB' },
  },
  {
    says: 'renames the person',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patch({ op: 'Replace', path: 'userName', value: 'ada.king-{once}@{domain}' }),
    status: 200,
    holds: { userName: 'ada.king-{once}@{domain}' },
  },
  {
    says: 'does not find the old name',
    method: 'GET',
    path: userByName('ada-{once}@{domain}'),
    status: 200,
    holds: { totalResults: 0 },
  },
  {
    says: 'deactivates by a text',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patch({ op: 'Replace', path: 'active', value: 'False' }),
    status: 200,
    holds: { active: false },
  },
  {
    says: 'still reads whom it deactivated',
    method: 'GET',
    path: '/Users/{user}',
    status: 200,
    holds: { active: false },
  },
  {
    says: 'activates by a text',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patch({ op: 'Add', path: 'active', value: 'True' }),
    status: 200,
    holds: { active: true },
  },
  {
    says: 'makes a group',
    method: 'POST',
    path: '/Groups',
    body: {
      schemas: [GROUP],
      externalId: 'group-{once}',
      displayName: 'Analysts {once}',
      meta: { resourceType: 'Group' },
    },
    status: 201,
    holds: { displayName: 'Analysts {once}' },
    keeps: { group: 'id' },
  },
  {
    says: 'reads the group without its members',
    method: 'GET',
    path: '/Groups/{group}?excludedAttributes=members',
    status: 200,
    holds: { id: '{group}', members: null },
  },
  {
    says: 'finds the group by its name',
    method: 'GET',
    path: `${groupByName('Analysts {once}')}&excludedAttributes=members`,
    status: 200,
    holds: { totalResults: 1, Resources: [{ id: '{group}', members: null }] },
  },
  {
    says: 'renames the group',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patch({ op: 'Replace', path: 'displayName', value: 'Engineers {once}' }),
    status: 204,
  },
  {
    says: 'adds a member',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patch({ op: 'Add', path: 'members', value: [{ $ref: null, value: '{user}' }] }),
    status: 204,
  },
  {
    says: 'asks whether the person is a member',
    method: 'GET',
    path: `/Groups?filter=${encodeURIComponent('id eq "{group}" and members eq "{user}"')}&attributes=id`,
    status: 200,
    holds: { totalResults: 1, Resources: [{ id: '{group}', displayName: null }] },
  },
  {
    says: 'sees the group at the person',
    method: 'GET',
    path: '/Users/{user}',
    status: 200,
    holds: { groups: [{ value: '{group}' }] },
  },
  {
    says: 'removes the member by a list',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patch({ op: 'Remove', path: 'members', value: [{ $ref: null, value: '{user}' }] }),
    status: 204,
  },
  {
    says: 'reads the empty group',
    method: 'GET',
    path: '/Groups/{group}',
    status: 200,
    holds: { displayName: 'Engineers {once}', members: [] },
  },
  { says: 'deletes the group', method: 'DELETE', path: '/Groups/{group}', status: 204 },
  {
    says: 'does not find it again',
    method: 'GET',
    path: '/Groups/{group}',
    status: 404,
    holds: { schemas: [ERROR], status: '404' },
  },
  { says: 'deletes the person', method: 'DELETE', path: '/Users/{user}', status: 204 },
  { says: 'deletes the person a second time', method: 'DELETE', path: '/Users/{user}', status: 404 },
  {
    says: 'makes the person anew',
    method: 'POST',
    path: '/Users',
    body: { ...ENTRA_USER, userName: 'ada.king-{once}@{domain}', emails: [] },
    status: 201,
  },
]

const OKTA_USER = {
  schemas: [USER],
  userName: 'grace-{once}@{domain}',
  name: { givenName: 'Grace', familyName: 'Hopper' },
  emails: [{ primary: true, value: 'grace-{once}@{domain}', type: 'work' }],
  displayName: 'Grace Hopper',
  locale: 'en-US',
  externalId: '00u{once}',
  groups: [],
  password: 'a-Password-of-Okta-1',
  active: true,
}

/** Okta: pages first, replaces whole people, deactivates without a path, and never deletes them. */
export const OKTA: Step[] = [
  {
    says: 'asks for the first page of people',
    method: 'GET',
    path: '/Users?count=1&startIndex=1',
    status: 200,
    holds: { schemas: [LIST], startIndex: 1 },
  },
  {
    says: 'asks for a person who is not there',
    method: 'GET',
    path: '/Users/010101001010101011001010101011',
    status: 404,
    holds: { schemas: [ERROR], status: '404' },
  },
  {
    says: 'looks for a name that is not there',
    method: 'GET',
    path: userByName('nobody-{once}'),
    status: 200,
    holds: { totalResults: 0 },
  },
  {
    says: 'comes without a token',
    method: 'GET',
    path: '/Users',
    authorization: '',
    status: 401,
    holds: { schemas: [ERROR] },
  },
  {
    says: 'comes with a wrong token',
    method: 'GET',
    path: '/Users',
    authorization: 'Bearer wrong',
    status: 401,
  },
  {
    says: 'makes the person',
    method: 'POST',
    path: '/Users',
    body: OKTA_USER,
    status: 201,
    holds: {
      userName: 'grace-{once}@{domain}',
      active: true,
      name: { familyName: 'Hopper' },
      password: null,
    },
    keeps: { user: 'id' },
  },
  {
    says: 'reads the person',
    method: 'GET',
    path: '/Users/{user}',
    status: 200,
    holds: { id: '{user}', userName: 'grace-{once}@{domain}' },
  },
  {
    says: 'makes the same person again',
    method: 'POST',
    path: '/Users',
    body: OKTA_USER,
    status: 409,
    holds: { schemas: [ERROR], scimType: 'uniqueness' },
  },
  {
    says: 'finds the person by a filter, with a page',
    method: 'GET',
    path: `${userByName('grace-{once}@{domain}')}&startIndex=1&count=100`,
    status: 200,
    holds: { totalResults: 1, Resources: [{ id: '{user}' }] },
  },
  {
    says: 'replaces the person as plain JSON',
    method: 'PUT',
    path: '/Users/{user}',
    body: {
      ...OKTA_USER,
      id: '{user}',
      name: { givenName: 'Grace', familyName: 'Murray Hopper' },
      meta: { resourceType: 'User' },
    },
    type: 'application/json; charset=utf-8',
    status: 200,
    holds: { id: '{user}', name: { familyName: 'Murray Hopper' } },
  },
  {
    says: 'deactivates the person',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patch({ op: 'replace', value: { active: false } }),
    status: 200,
    holds: { id: '{user}', active: false },
  },
  {
    says: 'reactivates by replacing the whole',
    method: 'PUT',
    path: '/Users/{user}',
    body: { ...OKTA_USER, active: true },
    status: 200,
    holds: { active: true },
  },
  {
    says: 'asks for groups',
    method: 'GET',
    path: '/Groups?startIndex=1&count=100',
    status: 200,
    holds: { schemas: [LIST] },
  },
  {
    says: 'pushes a group with a member',
    method: 'POST',
    path: '/Groups',
    body: {
      schemas: [GROUP],
      displayName: 'Compilers {once}',
      members: [{ value: '{user}', display: 'grace-{once}@{domain}' }],
    },
    status: 201,
    holds: { displayName: 'Compilers {once}', members: [{ value: '{user}' }] },
    keeps: { group: 'id' },
  },
  {
    says: 'renames the group, sending its id along',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patch({ op: 'replace', value: { id: '{group}', displayName: 'Linkers {once}' } }),
    status: 204,
  },
  {
    says: 'removes a member by a filter in the path, and adds one',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patch(
      { op: 'remove', path: 'members[value eq "{user}"]' },
      { op: 'add', path: 'members', value: [{ value: '{user}', display: 'grace-{once}@{domain}' }] },
    ),
    status: 204,
  },
  {
    says: 'reads the group',
    method: 'GET',
    path: '/Groups/{group}',
    status: 200,
    holds: { displayName: 'Linkers {once}', members: [{ value: '{user}', display: 'Grace Hopper' }] },
  },
  {
    says: 'replaces the group without members',
    method: 'PUT',
    path: '/Groups/{group}',
    body: { schemas: [GROUP], id: '{group}', displayName: 'Linkers {once}', members: [] },
    status: 200,
    holds: { members: [] },
  },
  { says: 'deletes the group', method: 'DELETE', path: '/Groups/{group}', status: 204 },
]
