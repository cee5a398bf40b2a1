import type { LocalEvent } from '../../../testing/local/observe/event.ts'

/** Numbers invocations of a queue through all processes of its handlers, each of which counts from 1. */
interface InvocationNumbers {
  numbered(event: LocalEvent): LocalEvent
  /** The process was replaced. */
  restart(): void
}

export function countInvocations(): InvocationNumbers {
  /** By queue: the highest number, and that with which the process that runs has begun. */
  const highest = new Map<string, number>()
  const before = new Map<string, number>()
  return {
    numbered: (event) => {
      if (!('invocation' in event) || event.invocation === undefined) return event
      const { queue = '' } = event
      const invocation = (before.get(queue) ?? 0) + event.invocation
      highest.set(queue, Math.max(invocation, highest.get(queue) ?? 0))
      return { ...event, invocation }
    },
    restart: () => {
      for (const [queue, number] of highest) before.set(queue, number)
    },
  }
}
