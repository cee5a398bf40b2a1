import { type ErrorShape, groupName } from './errorShape.ts'

/** The reason and the error that failed requests have in common, on any consumer and any queue. */
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
