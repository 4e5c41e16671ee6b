/** The position of a question. Deleted questions may leave gaps. */
export type Placed = { id: string; position: number }

/**
 * Moves a question to a position; without one, or beyond the last, it comes last. Questions between the old and the
 * new position shift by one. `live` is in order and does not contain a new question. Returns every question with a
 * changed position.
 */
export function place(live: readonly Placed[], id: string, wanted: number | undefined): Placed[] {
  const old = live.find((question) => question.id === id)
  const others = live.filter((question) => question.id !== id)
  const highest = Math.max(0, ...others.map((other) => other.position))
  const last = old ? Math.max(old.position, highest) : highest + 1
  const position = Math.min(wanted ?? last, last)
  if (old?.position === position) return []
  const moved = others.flatMap((other) => {
    const shift = shiftOf(other.position, old?.position, position)
    return shift === 0 ? [] : [{ id: other.id, position: other.position + shift }]
  })
  const isTaken = others.some((other) => other.position === position)
  return [...(isTaken ? moved : []), { id, position }]
}

/**
 * Places new questions one after the other. `moved` are the live questions with a new position, `placed` maps every
 * id to its position.
 */
export function placeAll(
  live: readonly Placed[],
  added: readonly { id: string; wanted: number | undefined }[],
) {
  const places = new Map(live.map(({ id, position }) => [id, position]))
  for (const { id, wanted } of added)
    for (const moved of place(inOrder(places), id, wanted)) places.set(moved.id, moved.position)
  const moved = inOrder(places).filter(({ id, position }) =>
    live.some((known) => known.id === id && known.position !== position),
  )
  return { moved, placed: places }
}

const inOrder = (places: Map<string, number>): Placed[] =>
  Array.from(places, ([id, position]) => ({ id, position })).toSorted((a, b) => a.position - b.position)

/** A question that leaves a position pulls those behind it up to where it goes. One that comes pushes them back. */
function shiftOf(position: number, from: number | undefined, to: number): number {
  if (from === undefined) return position >= to ? 1 : 0
  if (from < to) return position > from && position <= to ? -1 : 0
  return position >= to && position < from ? 1 : 0
}
