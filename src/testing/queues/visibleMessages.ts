import type { Letter, Queue } from './sqs.ts'

/** When a message can be received: a FIFO queue gives out none of a group while any of it is invisible. */
function readyAt({ isFifo, letters }: Queue, letter: Letter): number {
  if (!isFifo) return letter.visibleAt
  const { groupId } = letter.message
  const ofGroup = letters.filter(({ message }) => message.groupId === groupId)
  return Math.max(...ofGroup.map(({ visibleAt }) => visibleAt))
}

/** Infinity: there is nothing to wait for. */
export function soonestIn(queue: Queue): number {
  return Math.min(...queue.letters.map((letter) => readyAt(queue, letter)))
}

/** The batches that Lambda may make of what is there: singly each message, else as many as there are. */
export function receivable(queue: Queue, time: number, most: number): Letter[][] {
  const due = queue.letters.filter((letter) => readyAt(queue, letter) <= time)
  if (most > 1) return due.length === 0 ? [] : [due.slice(0, most)]
  const groups = new Set<string | undefined>()
  const heads = due.filter(
    ({ message: { groupId } }) => !groups.has(groupId) && groups.add(groupId),
  )
  return (queue.isFifo ? heads : due).map((letter) => [letter])
}

/** What a standard queue may hand out once more while somebody is at work on it: each alone, or all together. */
export function inFlight(queue: Queue, now: number, most: number): Letter[][] {
  if (queue.isFifo) return []
  const held = queue.letters.filter(({ receives, visibleAt }) => receives > 0 && visibleAt > now)
  const alone = held.map((letter) => [letter])
  return most > 1 && held.length > 1 ? [held.slice(0, most), ...alone] : alone
}
