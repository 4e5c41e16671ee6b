/** How many midnights on this device lie between now and `time`. Days of 23 and 25 hours count as one. */
export function nightsUntil(time: string): number {
  const midnight = (at: Date) => at.setHours(0, 0, 0, 0)
  return Math.round((midnight(new Date(time)) - midnight(new Date())) / 86_400_000)
}
