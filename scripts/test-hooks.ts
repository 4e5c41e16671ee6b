import { registerHooks } from 'node:module'

/** Leads imports of `node:test` to test-suite.ts. Loaded before everything else in a lane (`--import`). */
const OURS = new URL('test-suite.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'node:test' && context.parentURL !== OURS) return { url: OURS, shortCircuit: true }
    return next(specifier, context)
  },
})
