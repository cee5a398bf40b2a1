import { AsyncLocalStorage } from 'node:async_hooks'
import { callFault, type CallFault, type Faults, type InjectedFault } from './faults.ts'

/** How an invocation ended before its time. */
export type Death = 'killed' | 'timedOut'

/** One run of a handler, as the SDK calls inside it see it. */
export interface Invocation {
  /** Counts from 1 in each mapping. */
  readonly number: number
  /** The commands that were sent, in the order in which they left. */
  readonly calls: string[]
  readonly death: AbortController
  readonly faults: Faults
  /** When its mapping began, by `performance.now()`. */
  readonly began: number
  faultOf(call: number, attempt: number): CallFault | undefined
  /** Resolves at once, unless its sandbox is frozen. */
  untilThawed(): Promise<void>
  /** A fault was injected: for the counts. */
  injected(fault: InjectedFault): void
}

const invocations = new AsyncLocalStorage<Invocation>()

export function newInvocation(
  number: number,
  faults: Faults,
  injected: (fault: InjectedFault) => void,
  began: number = performance.now(),
): Invocation {
  const invocation: Invocation = {
    number,
    calls: [],
    death: new AbortController(),
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

const frozen = new WeakMap<Invocation, PromiseWithResolvers<void>>()

/** From now on no SDK call of it begins or ends, until it is thawed. */
export function freeze(invocation: Invocation): void {
  if (!frozen.has(invocation)) frozen.set(invocation, Promise.withResolvers())
}

export function thaw(invocation: Invocation): void {
  frozen.get(invocation)?.resolve()
  frozen.delete(invocation)
}

/** Everything `run` does, now and later, belongs to the invocation. */
export function runInside<T>(invocation: Invocation, run: () => T): T {
  return invocations.run(invocation, run)
}

export function currentInvocation(): Invocation | undefined {
  return invocations.getStore()
}

export function die(invocation: Invocation, death: Death): void {
  invocation.death.abort(death)
}

export function isDead(invocation: Invocation): boolean {
  return invocation.death.signal.aborted
}

/** Resolves when the invocation dies; never, when it lives on. */
export function deathOf({ death: { signal } }: Invocation): Promise<Death> {
  return new Promise((resolve) => {
    const died = (): void => resolve(signal.reason as Death)
    if (signal.aborted) died()
    signal.addEventListener('abort', died, { once: true })
  })
}
