import type { InjectedFault } from '../faults/faults.ts'
import {
  type CallPlace,
  currentInvocation,
  type EndOfCall,
  type LocalInvocation,
  isTerminated,
} from '../faults/invocation.ts'
import type {
  InvocationEnded,
  InvocationFault,
  LocalEvent,
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
  ended(end: EndOfInvocation): void
}

interface EndOfInvocation {
  readonly outcome: InvocationEnded['outcome']
  readonly failures: readonly string[]
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
  const open = new Set<(at: number) => void>()
  const at = (): number => Date.now()
  return {
    begun: (invocation, messages) => {
      observed.set(invocation, of)
      // An invocation that dies gets no answers any more. This is heard before it is told how the invocation ended.
      invocation.termination.signal.addEventListener('abort', () => {
        for (const never of open) never(at())
        open.clear()
      })
      emit({ ...of, type: 'begun', at: at(), messages })
    },
    calls: ({ call, attempt, action, describe }, fault): EndOfCall => {
      const struck = fault === undefined ? {} : { fault }
      const about = { ...of, ...describe(), began: at(), call, attempt, action, ...struck }
      const never = (now: number): void =>
        emit({ ...about, type: 'call', at: now, outcome: 'never' })
      open.add(never)
      const end = (event: LocalEvent): void => {
        if (open.delete(never)) emit(event)
      }
      return {
        ended: () => end({ ...about, type: 'call', at: at(), outcome: 'ended' }),
        failed: (error) =>
          end({ ...about, type: 'call', at: at(), outcome: 'failed', error: nameOf(error) }),
      }
    },
    injected: (fault, { call, attempt }) =>
      emit({ ...of, type: 'fault', at: at(), fault, call, attempt }),
    struck: (fault, messageId) =>
      emit({ ...of, type: 'fault', at: at(), fault, ...(messageId && { messageId }) }),
    ended: ({ outcome, failures, error }) => {
      const shown = outcome === 'failed' ? { error: textOf(error) } : {}
      emit({ ...of, type: 'ended', at: at(), outcome, failures, ...shown })
    },
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}

function textOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : typeof error
  return text.slice(0, LONGEST_ERROR).toWellFormed()
}

type Stream = NodeJS.WriteStream

/**
 * From now on code of a dead invocation writes nothing to standard output and error. A killed process writes nothing either, but here
 * the code continues: when the time of its function is up, it would log that it has timed out.
 * @returns a function that stops it
 */
export function silenceDead(): () => void {
  const restores = [process.stdout, process.stderr].map(silence)
  return () => {
    for (const restore of restores) restore()
  }
}

/** Whether the code that runs now belongs to an invocation that was killed, or whose time was up. */
function isDead(): boolean {
  const invocation = currentInvocation()
  return invocation !== undefined && isTerminated(invocation)
}

function silence(stream: Stream): () => void {
  const original = stream.write
  const silenced = function write(this: Stream, ...args: Parameters<Stream['write']>): boolean {
    if (!isDead()) return Reflect.apply(original, stream, args)
    const written = args.find((each) => typeof each === 'function')
    if (written !== undefined) process.nextTick(written)
    return true
  }
  stream.write = silenced as Stream['write']
  return () => {
    // Another program may have replaced it since.
    if (stream.write === silenced) stream.write = original
  }
}
