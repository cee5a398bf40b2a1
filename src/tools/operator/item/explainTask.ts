import type { Command } from './advise.ts'
import type { Task } from './task.ts'

/** The command that shows what an open item is about. */
export function explainTask({ id, kind, uniqueRequestId }: Task): Command {
  return {
    action: 'explain',
    positionals: { id },
    options: kind === 'dead' && uniqueRequestId !== undefined ? { request: uniqueRequestId } : {},
  }
}
