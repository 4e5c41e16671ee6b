/** Plain words for the kinds of suggestions. A kind of a newer service reads as it is called. */
export const KINDS: Record<string, string> = {
  best_time: 'Best time to publish',
  channel_without_episodes: 'Channels without episodes',
  completion_rate_low: 'Few finish',
  content_stale: 'Not changed for long',
  description_short: 'Short descriptions',
  distractor_unused: 'Options that nobody chooses',
  enrolled_without_activity: 'Joined and did nothing',
  episode_drop_off: 'Learners stop at an episode',
  episode_without_video: 'Episodes without video',
  grading_backlog: 'Work waits for a grade',
  homework_overdue: 'Missed deadlines',
  homework_without_due_date: 'Homework without a deadline',
  learner_behind: 'Behind the others before a deadline',
  learner_failing_test: 'Fails a test again and again',
  learner_inactive: 'Stayed away',
  learner_low_grade: 'Grades below the pass mark',
  learner_never_started: 'Never began',
  media_insecure_url: 'Insecure addresses',
  question_duplicate_options: 'Options that stand twice',
  question_key_position_bias: 'Right answers in one place',
  question_low_discrimination: 'Questions that tell little',
  question_too_easy: 'Questions that are too easy',
  question_too_hard: 'Questions that are too hard',
  question_wrong_key: 'Answers that may be marked wrong',
  retention_drop: 'Viewers leave a video',
  rewatch_peak: 'Parts that are watched again',
  test_few_questions: 'Tests with few questions',
  test_without_questions: 'Tests without questions',
  thumbnail_missing: 'Missing pictures',
  title_placeholder: 'Titles that say nothing',
  video_missing_captions: 'Videos without captions',
  video_missing_chapters: 'Videos without chapters',
  video_missing_duration: 'Videos without a length',
  video_missing_transcript: 'Videos without a transcript',
  video_not_trackable: 'Videos that cannot be followed',
}

export function kindWords(kind: string): string {
  const words = KINDS[kind] ?? kind.replaceAll('_', ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
