import { AsyncLocalStorage } from 'node:async_hooks'
import type { SdkCallContext } from '../sdk/instrument.ts'
import type { CallDescription } from './items.ts'
import {
  CALL_FAULTS,
  callFault,
  type CallFault,
  type CallPlace,
  type Faults,
  type InjectedFault,
  type NextFault,
} from './faults.ts'
import type { StrikableCall } from './strikes.ts'

/** How an invocation ended without a response. */
type Termination = 'killed' | 'timedOut'

/** One run of a handler, as the SDK calls inside it see it. */
export interface LocalInvocation {
  /** Counts from 1 in each mapping. */
  readonly number: number
  /** How many calls have begun. */
  calls: number
  /** It dies when it begins another call, or before its messages are deleted. */
  isDoomed: boolean
  /** Shared by all invocations of a process that dies as a whole. */
  readonly termination: AbortController
  readonly faults: Faults
  /** When its mapping started, by `performance.now()`. */
  readonly began: number
  faultOf(call: CallAttempt): CallFault | undefined
  /** Takes the one of these faults that waits for this call, or without a call for the invocation. */
  struckBy<Fault extends NextFault>(
    faults: readonly Fault[],
    call?: StrikableCall,
  ): Fault | undefined
  /** Whether such a fault waits. */
  expects(fault: NextFault): boolean
  /** Resolves at once, unless its sandbox is frozen. */
  untilThawed(): Promise<void>
  /** Counts an injected fault. */
  injected(fault: InjectedFault, at: CallPlace): void
  /** Called when an attempt of a call begins, with the fault that strikes it. undefined: there is no listener. */
  readonly watch: ((call: CallAttempt, fault: InjectedFault | undefined) => EndOfCall) | undefined
}

/** An attempt of a call that is about to be made. */
interface CallAttempt extends CallPlace {
  readonly action: string
  describe(): CallDescription
}

/** Called with the end of an attempt; not called when the invocation dies first. */
export interface EndOfCall {
  ended(): void
  failed(error: unknown): void
}

const invocations = new AsyncLocalStorage<LocalInvocation>()

export function newInvocation(
  number: number,
  faults: Faults,
  injected: LocalInvocation['injected'],
  {
    began = performance.now(),
    termination = new AbortController(),
    struckBy = () => undefined,
    expects = () => false,
    watch,
  }: Partial<
    Pick<LocalInvocation, 'began' | 'termination' | 'struckBy' | 'expects' | 'watch'>
  > = {},
): LocalInvocation {
  const invocation: LocalInvocation = {
    number,
    calls: 0,
    isDoomed: false,
    termination,
    faults,
    began,
    struckBy,
    expects,
    faultOf: (at) =>
      (invocation.isDoomed ? 'killBefore' : struckBy(CALL_FAULTS, at)) ??
      callFault(faults, number, at),
    untilThawed: async () => {
      while (frozen.has(invocation)) await frozen.get(invocation)?.promise
    },
    injected,
    watch,
  }
  return invocation
}

const frozen = new WeakMap<LocalInvocation, PromiseWithResolvers<void>>()

/** Until `thaw`, no SDK call of the invocation begins or ends. */
export function freeze(invocation: LocalInvocation): void {
  if (!frozen.has(invocation)) frozen.set(invocation, Promise.withResolvers())
}

export function thaw(invocation: LocalInvocation): void {
  frozen.get(invocation)?.resolve()
  frozen.delete(invocation)
}

/** Everything that `run` does, now and later, belongs to the invocation. */
export function runInside<T>(invocation: LocalInvocation, run: () => T): T {
  return invocations.run(invocation, run)
}

export function currentInvocation(): LocalInvocation | undefined {
  return invocations.getStore()
}

export function terminate(invocation: LocalInvocation, death: Termination): void {
  invocation.termination.abort(death)
}

export function isTerminated(invocation: LocalInvocation): boolean {
  return invocation.termination.signal.aborted
}

/** Resolves when the invocation dies or times out, else never. `over`: it is not waited for any more. */
export function untilTerminated(
  { termination: { signal } }: LocalInvocation,
  over?: AbortSignal,
): Promise<Termination> {
  return new Promise((resolve) => {
    const died = (): void => resolve(signal.reason as Termination)
    if (signal.aborted) died()
    signal.addEventListener('abort', died, { once: true, ...(over && { signal: over }) })
  })
}

const numbers = new WeakMap<SdkCallContext, number>()

/** The number of a call in its invocation, counted from 1 in the order in which calls begin. */
export function numberOfCall(invocation: LocalInvocation, context: SdkCallContext): number {
  const known = numbers.get(context)
  if (known !== undefined) return known
  const number = (invocation.calls += 1)
  numbers.set(context, number)
  return number
}
