import type {
  InvocationBegun,
  InvocationEnded,
  LocalEvent,
} from '../../../testing/local/observe/event.ts'

export interface Running {
  observe(event: LocalEvent): void
  count(queue?: string): number
  /** All that ran have died with their process: how they ended. */
  killed(why: string, at: number): readonly InvocationEnded[]
}

export function runningInvocations(): Running {
  const running = new Map<string, InvocationBegun>()
  return {
    observe: (event) => {
      if (event.type === 'begun') running.set(event.awsRequestId, event)
      if (event.type === 'ended') running.delete(event.awsRequestId)
    },
    count: (queue) =>
      [...running.values()].filter((each) => queue === undefined || each.queue === queue).length,
    killed: (why, at) => {
      const ended = [...running.values()].map(({ messages, ...of }): InvocationEnded => ({
        ...of,
        type: 'ended',
        at,
        outcome: 'killed',
        failures: messages.map(({ messageId }) => messageId),
        error: why,
      }))
      running.clear()
      return ended
    },
  }
}

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
