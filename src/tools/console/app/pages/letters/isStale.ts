import type { Queues } from './answers.ts'

/**
 * Whether another look would see more or fewer dead letters. Not while a reader holds some: it would miss those.
 * @param queue name of the only queue that was looked at; '': all
 */
export function isStale({ queues }: Queues, queue: string, looked: number): boolean {
  const chosen = queues.filter(({ name, url, deadLetterQueue }) =>
    // A queue that has a dead-letter queue of its own is looked at by its name only.
    queue === '' ? deadLetterQueue === undefined : name === queue || url === queue,
  )
  const isHeld = chosen.some(({ inFlight }) => inFlight > 0)
  const there = chosen.reduce((sum, { visible, delayed }) => sum + visible + delayed, 0)
  return !isHeld && there !== looked
}
