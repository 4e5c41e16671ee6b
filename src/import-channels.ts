export async function importChannels(_args: string[], _env: NodeJS.ProcessEnv) {}
