import { type Cause, causeOf, errorShape } from '../dlq/index.ts'
import type { Task } from '../item/task.ts'

/** As that of its dead letter. */
export function causeOfTask({ reason, status, error = '' }: Task): Cause | undefined {
  return causeOf(reason ?? status, errorShape(error))
}
