import { formOf } from '#testing/books.ts'
import { must } from '#testing/exams.ts'
import { mustUpload, PNG } from '#testing/files.ts'
import type { Ids, Row } from './matrix.ts'
import { channel, type School } from './learning-objects.ts'

async function taking(school: School): Promise<Ids> {
  const homework = { title: 'Essay', submission_types: ['file'] }
  const url = `/api/episodes/${school.episode_id}/homework`
  return { id: (await must(201, 'POST', url, school.author, homework)).id }
}

/** A picture of a public channel, and one of a channel that only its editors see. */
async function picture(school: School): Promise<Ids> {
  const { id = '' } = await channel(school)
  const file = await mustUpload(`/api/channels/${id}/files?purpose=picture`, school.author, PNG)
  return { channel_id: id, id: file.id }
}
async function hidden(school: School): Promise<Ids> {
  const ids = await picture(school)
  await must(200, 'PUT', `/api/channels/${ids['channel_id']}`, school.author, { visibility: 'private' })
  return ids
}

/** A file that the plain member has handed in. */
async function attached(school: School): Promise<Ids> {
  const { id } = await taking(school)
  const file = await mustUpload(`/api/episodes/homework/${id}/files`, school.member, 'Mine')
  await must(201, 'POST', `/api/episodes/homework/${id}/submit`, school.member, {
    attachments: [{ url: file.url }],
  })
  return { id: file.id }
}

const send = () => formOf(PNG)

/** The rows of files, in the columns of learning. */
export const fileRows: Row<School>[] = [
  [
    'POST   /api/channels/:id/files?purpose',
    '201 201 403 403 404 404 404 404 404 401 403 401',
    async (school) => ({ ...(await channel(school)), purpose: 'picture' }),
    { send },
  ],
  [
    'POST   /api/episodes/homework/:id/files',
    '201 201 201 201 404 404 404 404 404 401 403 401',
    taking,
    { send },
  ],
  ['GET    /files/:channel_id/:id', '200 200 200 200 200 200 200 200 200 200 200 200', picture],
  ['GET    /files/:channel_id/:id', '200 200 404 404 404 404 404 404 404 404 404 404', hidden],
  ['GET    /api/files/:id', '200 200 200 404 404 404 404 404 404 401 403 401', attached],
  ['DELETE /api/files/:id', '204 204 404 404 404 404 404 404 404 401 403 401', picture],
]
