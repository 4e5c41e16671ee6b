import { toast as show } from '#foundation/web/client/toast.ts'

type Options = { action?: { text: string; run: () => void }; isFault?: boolean }

/** A message at the bottom edge, as in the kit. */
export const toast = (text: string, { action, isFault }: Options = {}): void => show(text, action, isFault)
