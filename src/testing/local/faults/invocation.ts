import { AsyncLocalStorage } from 'node:async_hooks'
import { callFault, type CallFault, type Faults, type InjectedFault } from './faults.ts'

/** How an invocation ended without a response. */
type Termination = 'killed' | 'timedOut'

/** One run of a handler, as the SDK calls inside it see it. */
export interface LocalInvocation {
  /** Counts from 1 in each mapping. */
  readonly number: number
  /** The commands that the handler sent, in order. */
  readonly calls: string[]
  readonly termination: AbortController
  readonly faults: Faults
  /** When its mapping started, by `performance.now()`. */
  readonly began: number
  faultOf(call: number, attempt: number): CallFault | undefined
  /** Resolves at once, unless its sandbox is frozen. */
  untilThawed(): Promise<void>
  /** Counts an injected fault. */
  injected(fault: InjectedFault): void
}

const invocations = new AsyncLocalStorage<LocalInvocation>()

export function newInvocation(
  number: number,
  faults: Faults,
  injected: (fault: InjectedFault) => void,
  began: number = performance.now(),
): LocalInvocation {
  const invocation: LocalInvocation = {
    number,
    calls: [],
    termination: new AbortController(),
    faults,
    began,
    faultOf: (call, attempt) => callFault(faults, { invocation: number, call, attempt }),
    untilThawed: async () => {
      while (frozen.has(invocation)) await frozen.get(invocation)?.promise
    },
    injected,
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

/** Resolves when the invocation dies or times out, else never. */
export function untilTerminated({
  termination: { signal },
}: LocalInvocation): Promise<Termination> {
  return new Promise((resolve) => {
    const died = (): void => resolve(signal.reason as Termination)
    if (signal.aborted) died()
    signal.addEventListener('abort', died, { once: true })
  })
}
