import type { Lane } from '#foundation/database/database.ts'
import type { Finding, Target } from '../finding.ts'

type VideoRow = {
  channel_id: string
  episode_id: string
  title: string
  url: string
  kind: string
  duration_seconds: number | null
  trackable: boolean
  has_captions: boolean
  has_transcript: boolean
  chapters: number
  /** Addresses of the asset that use plain http. */
  insecure: string[]
}

/**
 * From this length on, a video without chapters is hard to navigate. It is only a hint, because the best length is
 * contested.
 */
const LONG_SECONDS = 720

/** Findings about what a video lacks, such as captions, chapters or https. */
export async function mediaFindings(sql: Lane, tenant_id: string, channel_ids: string[]): Promise<Finding[]> {
  const videos = await sql<VideoRow[]>`
    select e.channel_id, v.episode_id, e.title, v.url, v.kind, v.duration_seconds::float8, v.trackable, v.has_captions,
           v.has_transcript, jsonb_array_length(v.chapters) as chapters,
           array(select address from unnest(
                   array[v.url, v.poster_url, v.embed_url]
                   || array(select source ->> 'url' from jsonb_array_elements(v.sources) as source)
                   || array(select caption ->> 'url' from jsonb_array_elements(v.captions) as caption)) as address
                  where lower(left(address, 5)) = 'http:') as insecure
      from learning.videos v
      join learning.episodes e on e.tenant_id = v.tenant_id and e.id = v.episode_id and e.deleted_at is null
      join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id and c.deleted_at is null
     where v.tenant_id = ${tenant_id} and e.channel_id = any(${channel_ids})
     order by e.channel_id, e.position, e.id`
  return videos.flatMap(ofVideo)
}

function ofVideo(row: VideoRow): Finding[] {
  const target: Target = { type: 'video', id: row.episode_id, title: row.title }
  const common = { channel_id: row.channel_id, target }
  const found: Finding[] = []
  if (!row.has_captions)
    found.push({
      ...common,
      kind: 'video_missing_captions',
      severity: 'warning',
      title: `The video of “${row.title}” has no captions`,
      body: 'Whoever cannot hear it, or cannot turn the sound on, is left out (WCAG 2.2, 1.2.2). Add a WebVTT file.',
      evidence: { captions: 0 },
      confidence: 1,
    })
  if (!row.has_transcript)
    found.push({
      ...common,
      kind: 'video_missing_transcript',
      severity: 'info',
      title: `The video of “${row.title}” has no transcript`,
      body: 'A transcript can be read, searched and translated.',
      evidence: {},
      confidence: 1,
    })
  if (row.duration_seconds === null)
    found.push({
      ...common,
      kind: 'video_missing_duration',
      severity: 'warning',
      title: `The length of the video of “${row.title}” is not known`,
      body: 'Without it the outline shows no length, and progress rests on what each player reports. Enter the duration.',
      evidence: {},
      confidence: 1,
    })
  if (!row.trackable)
    found.push({
      ...common,
      kind: 'video_not_trackable',
      severity: 'info',
      title: `Nobody can tell how far “${row.title}” was watched`,
      body: 'The video plays in the frame of another site. Learners have to mark it as watched themselves; a file or a stream of your own would be followed.',
      evidence: { kind: row.kind },
      confidence: 1,
    })
  if ((row.duration_seconds ?? 0) > LONG_SECONDS && row.chapters === 0)
    found.push({
      ...common,
      kind: 'video_missing_chapters',
      severity: 'info',
      title: `The video of “${row.title}” has no chapters`,
      body: `It runs for ${Math.round((row.duration_seconds ?? 0) / 60)} minutes. Chapters let people find a passage again.`,
      evidence: { duration_seconds: row.duration_seconds, chapters: 0 },
      confidence: 0.5,
    })
  if (row.insecure.length > 0)
    found.push({
      ...common,
      kind: 'media_insecure_url',
      severity: 'info',
      title: `The video of “${row.title}” is fetched without encryption`,
      body: 'Browsers refuse http addresses on pages served by https. Use the https address of the same file.',
      evidence: { urls: row.insecure.slice(0, 10) },
      confidence: 0.9,
    })
  return found
}
