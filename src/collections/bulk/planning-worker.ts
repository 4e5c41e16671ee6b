import { serveTasks } from '#foundation/threads/worker-tasks.ts'
import { precheck } from '../workbook/reader.ts'
import { headerNotFound, type HeaderRules, planSheets, readLayout, type SheetPlan } from './layout.ts'

/** The thread of planning.ts. */
export type PlanningTasks = typeof tasks
const tasks = {
  judge: async ({ path, rules }: { path: string; rules: HeaderRules }): Promise<void> => {
    const checked = await precheck(path)
    for (const plan of planSheets(checked)) {
      const head = checked.sheets.find(({ name }) => name === plan.sheet)?.header
      // What the beginning of the sheet did not tell, the job will.
      if (head === undefined || head === 'unknown') continue
      if (head === 'none') throw headerNotFound(plan.sheet)
      readLayout(plan, head, rules)
    }
  },
  plan: async (bytes: Uint8Array): Promise<Planned> => {
    const checked = await precheck(bytes)
    const hidden = checked.sheets.filter((sheet) => sheet.hidden)
    return { plans: planSheets(checked), hidden_sheets: hidden.map(({ name }) => name) }
  },
}

/** The sheets that are read, and the names of those that are hidden. */
export type Planned = { plans: SheetPlan[]; hidden_sheets: string[] }

serveTasks(tasks)
