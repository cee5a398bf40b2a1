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
