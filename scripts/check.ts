import { checks, runJobs } from './jobs.ts'

/** `npm run check`: everything that needs no database. */
const done = await runJobs(checks)
process.exitCode = done.every(({ isPassed }) => isPassed) ? 0 : 1
