import { createServer } from 'node:http'
import { createLyceum, type LyceumOptions } from '../../../packages/server/src/index.ts'

/** A partner's server in a process of its own: `argv` holds its options as JSON. Says on stdout where it listens. */
const lyceum = createLyceum(JSON.parse(process.argv[2] ?? '{}') as LyceumOptions)
const server = createServer((request, response) => {
  if (request.url === '/silence') return void response.end(String(lyceum.revocations.silentFor()))
  void lyceum.authenticate(request.headers).then(
    () => response.writeHead(200).end(),
    ({ status, code }: { status?: number; code?: string }) => response.writeHead(status ?? 500).end(code),
  )
})
server.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => process.stdout.write('listening\n'))
