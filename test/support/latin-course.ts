import { ask, type Somebody } from './campus.ts'
import type { Product } from './product.ts'

/** A channel with two episodes, a homework and a test, all named without a word of English, German or Spanish. */
export async function aLatinCourse(product: Product, teacher: Somebody, title: string) {
  const channel = await ask(product, teacher, '/api/channels', {
    title,
    description: 'Mare magnum.',
    language: 'la',
    level: 'beginner',
    status: 'published',
    episodes: [{ title: 'Prima' }, { title: 'Secunda' }],
  })
  const episode_id = String(channel.episodes[0].id)
  const homework = await ask(product, teacher, `/api/episodes/${episode_id}/homework`, {
    title: 'Labor',
    max_score: 20,
    submission_types: ['text', 'url'],
    // Five and a half days: two would be "übermorgen", which depends on the hour of the run.
    due_at: new Date(Date.now() + 475_200_000).toISOString(),
  })
  const exam = await ask(product, teacher, `/api/episodes/${episode_id}/tests`, { title: 'Examen' })
  const options = [{ text: 'Alba', correct: true }, { text: 'Nigra' }]
  const questions = [{ type: 'single_choice', prompt: 'Quid?', options }]
  await ask(product, teacher, `/api/episodes/tests/${exam.id}/questions`, { questions })
  const channel_id = String(channel.id)
  return {
    channel_id,
    episode_id,
    channel: `/channel?id=${channel_id}`,
    episode: `/episode?id=${episode_id}&channel=${channel_id}`,
    homework: `/homework?id=${homework.id}&episode=${episode_id}`,
    exam: `/test?id=${exam.id}&episode=${episode_id}`,
  }
}
