import type {
  CallEvent,
  InvocationBegun,
  InvocationEnded,
} from '../../../../../src/testing/local/observe/event.ts'

/** Of one invocation; its request id is its number. */
function of(invocation: number) {
  return { queue: 'orders', function: 'worker', invocation, awsRequestId: String(invocation) }
}

export function begun(invocation: number, at = 0, messages = 1): InvocationBegun {
  const message = { messageId: `m-${invocation}`, receiveCount: 1 }
  return {
    type: 'begun',
    at,
    ...of(invocation),
    messages: Array.from({ length: messages }, () => message),
  }
}

export function call(invocation: number, given: Partial<CallEvent> = {}): CallEvent {
  return {
    type: 'call',
    at: 1,
    began: 0,
    ...of(invocation),
    call: 1,
    attempt: 1,
    action: 'UpdateItem',
    outcome: 'ended',
    words: 'claims orders/o-1',
    ...given,
  }
}

export function ended(invocation: number, given: Partial<InvocationEnded> = {}): InvocationEnded {
  return { type: 'ended', at: 2, ...of(invocation), outcome: 'answered', failures: [], ...given }
}
