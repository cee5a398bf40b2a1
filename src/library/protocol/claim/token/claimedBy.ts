import { stableId } from '../../../base/ids.ts'

/** 54 bits are enough to tell the functions of one table apart, and fit into the 1 KB that a token may have. */
const LENGTH = 9
const BETWEEN = '.'

/** Identifies a function and a queue, by hashes of their ARNs, in 19 characters. */
export function claimedBy(functionArn: string, queueArn: string): string {
  return [functionArn, queueArn].map(shortHash).join(BETWEEN)
}

/** Whether the claim came from this queue. */
export function isFrom(queueArn: string, by: string): boolean {
  return by.split(BETWEEN)[1] === shortHash(queueArn)
}

function shortHash(arn: string): string {
  return stableId(arn).slice(0, LENGTH)
}

/**
 * Whether two claims come from two different consumers that have the same name by mistake: another function that reads another
 * queue. One function may read several queues, and a function may be replaced by another one at the same queue.
 */
export function isNamesake(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false
  const [function1, queue1] = one.split(BETWEEN)
  const [function2, queue2] = other.split(BETWEEN)
  return function1 !== function2 && queue1 !== queue2
}
