/** `openapi-typescript` writes with the API of TypeScript 5 or 6; the compiler we check with (7) has another one. */
export { ts as default } from '@ts-morph/common'
