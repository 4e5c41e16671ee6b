import {
  asSent,
  cleanFields,
  decimals,
  type Faults,
  language,
  link,
  name,
  names,
  type Refuse,
  type Rules,
  text,
} from '../values.ts'
import type { ChannelChange, ENROLLMENTS, LEVELS, NewChannel, STATUSES, VISIBILITIES } from './channel.ts'

/** The columns of learning.channels that an editor sets. */
export type ChannelFields = {
  title: string
  description: string
  language: string
  category: string | null
  level: (typeof LEVELS)[number]
  tags: string[]
  thumbnail_url: string | null
  status: (typeof STATUSES)[number]
  enrollment: (typeof ENROLLMENTS)[number]
  visibility: (typeof VISIBILITIES)[number]
  sequential: boolean
  completion_threshold: number
  passing_percent: number
  grade_weights: { homework: number; tests: number } | null
  instructor_ids: string[]
}

/**
 * Published by default, because no route publishes: a new channel shows in the list and the feed at once
 * (docs/choices-learning.md).
 */
export const CHANNEL_DEFAULTS: Omit<ChannelFields, 'title'> = {
  description: '',
  language: 'en',
  category: null,
  level: 'all',
  tags: [],
  thumbnail_url: null,
  status: 'published',
  enrollment: 'open',
  visibility: 'public',
  sequential: false,
  completion_threshold: 0.9,
  passing_percent: 60,
  grade_weights: null,
  instructor_ids: [],
}

const RULES: Rules<ChannelFields> = {
  title: name,
  description: text,
  language,
  category: text,
  level: asSent,
  tags: names,
  thumbnail_url: link,
  status: asSent,
  enrollment: asSent,
  visibility: asSent,
  sequential: asSent,
  completion_threshold: decimals(3),
  passing_percent: decimals(2),
  grade_weights: cleanWeights,
  instructor_ids: (ids) => [...new Set(ids)],
}

/** The sent fields in the form that is stored. */
export const cleanChannel = (body: NewChannel | ChannelChange, faults: Faults): Partial<ChannelFields> =>
  cleanFields(body, RULES, CHANNEL_DEFAULTS, faults)

function cleanWeights({ homework, tests }: { homework: number; tests: number }, refuse: Refuse) {
  if (homework + tests === 0) refuse('weights', 'must not both be 0')
  return { homework: decimals(2)(homework, refuse), tests: decimals(2)(tests, refuse) }
}
