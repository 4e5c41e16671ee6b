import type { Delimiter } from '#foundation/csv/records.ts'
import { serveTasks } from '#foundation/threads/worker-tasks.ts'
import { precheck } from '../workbook/reader.ts'
import {
  headerNotFound,
  type HeaderRules,
  hintsOf,
  named,
  planSheets,
  readLayout,
  type SheetPlan,
} from './layout.ts'

import { recognise, type Recognised } from './recognise.ts'

/** The tasks of the worker thread behind planning.ts. */
export type PlanningTasks = typeof tasks
const tasks = {
  judge: async ({ path, rules }: { path: string; rules: HeaderRules }): Promise<void> => {
    const checked = await look(path, rules)
    for (const plan of planSheets(checked, rules.columns)) {
      const head = checked.sheets.find(({ name }) => name === plan.sheet)?.header
      // If the start of the sheet does not contain the header, the job checks it later.
      if (head === undefined || head === 'unknown') continue
      if (head === 'none') throw headerNotFound(plan.sheet)
      readLayout(plan, head, rules)
    }
  },
  plan: async ({ bytes, rules }: Planning): Promise<Planned> => {
    const checked = await look(bytes, rules, true)
    const hidden = checked.sheets.filter((sheet) => sheet.hidden)
    return {
      plans: planSheets(checked, rules.columns),
      hidden_sheets: hidden.map(({ name }) => name),
      delimiter: checked.delimiter,
    }
  },
  recognise: async ({ path, rules }: { path: string; rules: HeaderRules }): Promise<Recognised> =>
    recognise(await look(path, rules), rules),
}

const look = async (file: string | Uint8Array, rules: HeaderRules, isWhole = false) =>
  named(await precheck(file, undefined, isWhole, hintsOf(rules)), rules.columns)

type Planning = { bytes: Uint8Array; rules: HeaderRules }

/** The sheets to read, the names of the hidden ones, and the separator of a .csv. */
export type Planned = { plans: SheetPlan[]; hidden_sheets: string[]; delimiter: Delimiter | undefined }

serveTasks(tasks)
