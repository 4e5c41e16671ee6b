/** Far above any answer and any webhook of ours: whoever sends more is not Lyceum, and memory is not theirs to fill. */
const LARGEST = 1_048_576

/** All bytes of a body; undefined, and read no further, where there are too many. */
export async function readBytes(body: ReadableStream<Uint8Array> | null): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of (body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    size += piece.length
    // Leaving the loop cancels the body.
    if (size > LARGEST) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** The JSON of an answer. Throws for any other answer. */
export async function readJson(reply: Response): Promise<unknown> {
  const bytes = await readBytes(reply.body)
  if (bytes === undefined) throw new Error('The answer is too long')
  return JSON.parse(bytes.toString())
}
