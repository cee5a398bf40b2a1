import { AsyncLocalStorage } from 'node:async_hooks'
import { callFault, type CallFault, type Faults } from './faults.ts'

/** How an invocation ended before its time. */
export type Death = 'killed' | 'timedOut'

/** One run of a handler, as the SDK calls inside it see it. */
export interface Invocation {
  /** Counts from 1 in each mapping. */
  readonly number: number
  /** The commands that were sent, in the order in which they left. */
  readonly calls: string[]
  readonly death: AbortController
  faultOf(call: number, attempt: number): CallFault | undefined
  /** A fault was injected: for the counts. */
  injected(fault: CallFault): void
}

const invocations = new AsyncLocalStorage<Invocation>()

export function newInvocation(
  number: number,
  faults: Faults,
  injected: (fault: CallFault) => void,
): Invocation {
  return {
    number,
    calls: [],
    death: new AbortController(),
    faultOf: (call, attempt) => callFault(faults, { invocation: number, call, attempt }),
    injected,
  }
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
