import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** Runs `npm start -- ARGS` in its own process, with only these settings as its environment. */
export async function runCommand(args: readonly string[], settings: Record<string, string>) {
  const main = join(import.meta.dirname, '../../src/main.ts')
  const { NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...settings, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, stdout, stderr }
}
