/** A fault at start that a person must fix. main.ts prints the message as one line, without a stack, and exits 1. */
export class StartError extends Error {}
