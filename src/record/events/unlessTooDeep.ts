import type { OpenedEvent } from '../envelope/eventFormat.ts'
import { MAX_NESTING } from '../message/nestingLimit.ts'

/** JSON.parse reads any nesting, and JSON.stringify overflows the stack. */
export function unlessTooDeep(open: () => OpenedEvent | undefined): OpenedEvent | undefined {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { refusal: `the event is nested more than ${MAX_NESTING} levels deep` }
  }
}
