import { texts } from '#foundation/web/client/language.ts'
import { refusal } from './api.ts'
import { SHELL_TEXTS } from './shell-texts.ts'

const t = texts(SHELL_TEXTS)

/** A module that is loaded when it is needed. One that does not come is a refusal, which offers to try again. */
export const lazily = <T>(module: Promise<T>): Promise<T> =>
  module.catch((error: unknown) => {
    reportError(error)
    throw refusal(0, t('unreachable'))
  })
