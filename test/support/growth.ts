/** Rounds of which the cheapest counts: a collection of garbage or another process makes some dearer, none cheaper. */
const ROUNDS = 5

/** The processor time of this thread for `work`, in microseconds, so that what else the machine does makes no difference. */
export function costOf(work: () => unknown): number {
  const costs = Array.from({ length: ROUNDS }, () => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  })
  // The clock of a thread may tick in milliseconds.
  return Math.max(100, Math.min(...costs))
}
