import type { Campus } from './campus.ts'

export type Role = 'admin' | 'teacher' | 'learner'
export type View = [name: string, role: Role, path: string]

/** The 14 pages of learning, each with somebody who uses it. */
export const learningViews = (campus: Campus): View[] => [
  ['home', 'learner', '/'],
  ['channels', 'learner', '/channels'],
  ['channel', 'learner', `/channel?id=${campus.channel_id}`],
  ['channel-edit', 'teacher', `/channel/edit?id=${campus.channel_id}`],
  ['episode', 'learner', `/episode?id=${campus.second_episode_id}&channel=${campus.channel_id}`],
  ['episode-edit', 'teacher', `/episode/edit?id=${campus.episode_id}&channel=${campus.channel_id}`],
  ['homework', 'learner', `/homework?id=${campus.graded_homework_id}&episode=${campus.second_episode_id}`],
  ['grading', 'teacher', `/grading?episode=${campus.episode_id}`],
  ['test', 'learner', `/test?id=${campus.test_id}&episode=${campus.episode_id}`],
  ['test-edit', 'teacher', `/test/edit?id=${campus.test_id}&episode=${campus.episode_id}`],
  ['learning', 'learner', '/learning'],
  ['grades', 'learner', '/grades'],
  ['innovation', 'admin', '/innovation'],
  ['system', 'admin', '/system'],
]
