import { serveTasks } from '#foundation/threads/worker-tasks.ts'
import { drawCertificate } from './pdf.ts'

export const tasks = { drawCertificate }
serveTasks(tasks)
