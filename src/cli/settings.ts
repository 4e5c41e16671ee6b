import { describeSettings, loadConfig } from '#foundation/settings/config.ts'

export const usage = `npm start -- settings
Lists every setting with its value and what it means. Secrets are shown as set or not.`

export async function run(_: string[], env: NodeJS.ProcessEnv): Promise<void> {
  console.log(describeSettings(loadConfig(env)))
}
