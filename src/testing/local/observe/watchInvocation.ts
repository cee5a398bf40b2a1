import type { CallPlace, InjectedFault } from '../faults/faults.ts'
import { currentInvocation, type EndOfCall, type LocalInvocation } from '../faults/invocation.ts'
import type {
  CallEvent,
  InvocationEnded,
  InvocationFault,
  ObservedMessage,
  OfInvocation,
} from './event.ts'
import type { Emit } from './publish.ts'

/** Makes events of what happens in one invocation. */
export interface InvocationWatch {
  begun(invocation: LocalInvocation, messages: readonly ObservedMessage[]): void
  readonly calls: NonNullable<LocalInvocation['watch']>
  injected(fault: InjectedFault, at: CallPlace): void
  /** @param messageId the message that is delivered twice */
  struck(fault: InvocationFault, messageId?: string): void
  ended(outcome: Outcome, failures: readonly string[]): void
}

interface Outcome {
  readonly kind: InvocationEnded['outcome']
  readonly error?: unknown
}

const observed = new WeakMap<LocalInvocation, OfInvocation>()

/** The observed invocation whose code runs now. */
export function currentlyObserved(): OfInvocation | undefined {
  const invocation = currentInvocation()
  return invocation && observed.get(invocation)
}

/** Characters. An error may quote what the handler got. */
const LONGEST_ERROR = 300

export function watchInvocation(emit: Emit, of: OfInvocation): InvocationWatch {
  const open = new Set<() => void>()
  const at = (): number => Date.now()
  return {
    begun: (invocation, messages) => {
      observed.set(invocation, of)
      // An invocation that dies gets no answers any more. This listener runs before the end of the invocation is published.
      invocation.termination.signal.addEventListener('abort', () => {
        for (const never of open) never()
        open.clear()
      })
      emit({ ...of, type: 'begun', at: at(), messages })
    },
    calls: ({ call, attempt, action, describe }, fault): EndOfCall => {
      const struck = fault === undefined ? {} : { fault }
      const about = { ...of, ...describe(), began: at(), call, attempt, action, ...struck }
      const tell = (
        outcome: CallEvent['outcome'],
        failed: { readonly error?: string } = {},
      ): void => emit({ ...about, type: 'call', at: at(), outcome, ...failed })
      const never = (): void => tell('never')
      open.add(never)
      const end: typeof tell = (...told) => {
        if (open.delete(never)) tell(...told)
      }
      return {
        ended: () => end('ended'),
        failed: (error) =>
          end('failed', { error: error instanceof Error ? error.name : typeof error }),
      }
    },
    injected: (fault, { call, attempt }) =>
      emit({ ...of, type: 'fault', at: at(), fault, call, attempt }),
    struck: (fault, messageId) =>
      emit({ ...of, type: 'fault', at: at(), fault, ...(messageId && { messageId }) }),
    ended: ({ kind: outcome, error }, failures) => {
      const shown = outcome === 'failed' ? { error: textOf(error) } : {}
      emit({ ...of, type: 'ended', at: at(), outcome, failures, ...shown })
    },
  }
}

function textOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : typeof error
  return text.slice(0, LONGEST_ERROR).toWellFormed()
}
