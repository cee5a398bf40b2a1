import type { Groups } from './answers.ts'

/** How many a look has seen, if it was meant to see all: not of a FIFO queue, which shows the first of each message group only. */
export function wholeLook(
  answer: Pick<Groups, 'looked' | 'more' | 'fifo'> | undefined,
): number | undefined {
  return answer === undefined || answer.more || answer.fifo ? undefined : answer.looked
}
