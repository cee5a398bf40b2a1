import { type ErrorShape, groupName } from './errorShape.ts'

/** What went wrong, whoever it happened to: the same for dead letters and records of all consumers and queues. */
export interface Cause {
  /** As the name of a group, and accepted in its place. */
  readonly name: string
  readonly reason: string
  /** The error text without what differs between requests. */
  readonly error: string
}

/** @returns undefined without an error: two that say nothing have nothing in common */
export function causeOf(reason: string, { shape, shown }: ErrorShape): Cause | undefined {
  return shape === '' ? undefined : { name: groupName('', reason, shape), reason, error: shown }
}
