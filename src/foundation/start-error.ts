/** A start that a person has to mend: main.ts prints the sentence as one line, without a stack, and exits 1. */
export class StartError extends Error {}
