import { stableId } from '../../ids.ts'

/** 54 bits: enough to tell the functions of one table apart, in the kilobyte that a token may have. */
const LENGTH = 9
const BETWEEN = '.'

/** Remembers a function and a queue, by their ARNs, in 19 characters. */
export function claimedBy(functionArn: string, queueArn: string): string {
  return [functionArn, queueArn].map((arn) => stableId(arn).slice(0, LENGTH)).join(BETWEEN)
}

/**
 * Whether two claims are of two consumers that happen to have one name: another function, that reads another queue. One
 * function may read several queues, and a function may be replaced by another one at the same queue.
 */
export function isNamesake(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false
  const [function1, queue1] = one.split(BETWEEN)
  const [function2, queue2] = other.split(BETWEEN)
  return function1 !== function2 && queue1 !== queue2
}
