import { serveTasks } from '#foundation/threads/worker-tasks.ts'
import { precheck } from '../workbook/reader.ts'
import { headerNotFound, type HeaderRules, named, planSheets, readLayout, type SheetPlan } from './layout.ts'

import { recognise, type Recognised } from './recognise.ts'

/** The tasks of the worker thread behind planning.ts. */
export type PlanningTasks = typeof tasks
const tasks = {
  judge: async ({ path, rules }: { path: string; rules: HeaderRules }): Promise<void> => {
    const checked = named(await precheck(path), rules.columns)
    for (const plan of planSheets(checked, rules.columns)) {
      const head = checked.sheets.find(({ name }) => name === plan.sheet)?.header
      // If the start of the sheet does not contain the header, the job checks it later.
      if (head === undefined || head === 'unknown') continue
      if (head === 'none') throw headerNotFound(plan.sheet)
      readLayout(plan, head, rules)
    }
  },
  plan: async ({ bytes, columns }: Planning): Promise<Planned> => {
    const checked = named(await precheck(bytes, undefined, true), columns)
    const hidden = checked.sheets.filter((sheet) => sheet.hidden)
    return { plans: planSheets(checked, columns), hidden_sheets: hidden.map(({ name }) => name) }
  },
  recognise: async ({ path, rules }: { path: string; rules: HeaderRules }): Promise<Recognised> =>
    recognise(named(await precheck(path), rules.columns), rules),
}

type Planning = { bytes: Uint8Array; columns: HeaderRules['columns'] }

/** The sheets to read, and the names of the hidden ones. */
export type Planned = { plans: SheetPlan[]; hidden_sheets: string[] }

serveTasks(tasks)
