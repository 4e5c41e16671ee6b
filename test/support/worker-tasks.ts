import { ApiError } from '#foundation/errors.ts'
import { type Ask, serveTasks } from '#foundation/threads/worker-tasks.ts'

/** Tasks for the thread that workers.test.ts starts. */
export type TestTasks = typeof tasks
const tasks = {
  double: (number: number) => number * 2,
  compute: (ms: number) => {
    for (const until = performance.now() + ms; performance.now() < until;);
    return ms
  },
  fill: () => {
    const kept: string[] = []
    for (;;) kept.push('x'.repeat(1_000) + String(kept.length))
  },
  refuse: () => {
    throw new ApiError(422, 'bad_file', 'The file is bad', {
      errors: [{ field: 'file', code: 'bad', message: 'is bad' }],
    })
  },
  throw: () => {
    throw new Error('unreadable')
  },
  ask: async (question: string, ask: Ask) => `${String(await ask(question))}!`,
  end: () => process.exit(3),
}

serveTasks(tasks)
