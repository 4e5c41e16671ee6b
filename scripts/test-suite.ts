import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import * as runner from 'node:test'

/**
 * `node:test` as test files see it in a lane (test-hooks.ts leads their imports here). Node finds the suite of a call by the
 * asynchronous context, which a module loses when it awaits at its top level; so what a file says while it is loaded is
 * bound to its suite here.
 */
const inside = new AsyncLocalStorage<true>()
let loading: AsyncResource | undefined

type Call = (...args: unknown[]) => unknown

/** `isSuite`: calls within the callback belong to that suite and not to the file. */
function bound<T>(original: T, isSuite = false): T {
  const call = original as Call
  const given = (...args: unknown[]) => {
    if (!loading || inside.getStore()) return call(...args)
    const deeper = (arg: unknown) =>
      isSuite && typeof arg === 'function'
        ? (...rest: unknown[]) => inside.run(true, arg as Call, ...rest)
        : arg
    return loading.runInAsyncScope(call, undefined, ...args.map(deeper))
  }
  return Object.assign(given, call) as T
}

/** Runs what `load` declares as one suite. */
export function suiteOf(name: string, timeout: number, load: () => Promise<unknown>): void {
  void runner.describe(name, { timeout }, async () => {
    loading = new AsyncResource('file')
    try {
      await load()
    } finally {
      loading = undefined
    }
  })
}

export const test = bound(runner.test)
export const describe = bound(runner.describe, true)
export const before = bound(runner.before)
export const after = bound(runner.after)
export const beforeEach = bound(runner.beforeEach)
export const afterEach = bound(runner.afterEach)
export const { mock, getTestContext } = runner
