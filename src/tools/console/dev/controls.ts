import type { Faults } from '../../../testing/local/faults/faults.ts'
import type { LocalEvent } from '../../../testing/local/observe/event.ts'
import type { Described } from './protocol.ts'
import type { DevCall, KillNext } from './types.ts'

type Consumer = Described['consumers'][number]

/** What was set from the page: it holds when the handlers are loaded again. */
export interface Controls {
  observe(event: LocalEvent): void
  readonly seed: number
  faultsOf(consumer: Consumer): Faults
  setFaults(queue: string, faults: Faults): void
  kills(): ReadonlyMap<string, KillNext>
  setKill(queue: string, kill: KillNext | null): void
  paused(): readonly string[]
  setPaused(queue: string, paused: boolean): void
  /** The handlers were loaded again: they may make other calls. */
  loaded(): void
  /** Of the invocation since then that made the most calls, and of those the newest: a duplicate makes few. */
  callsOf(queue: string): readonly DevCall[]
}

const MOST_CALLS = 200

export function newControls(seed: number): Controls {
  const faults = new Map<string, Faults>()
  const kills = new Map<string, KillNext>()
  const paused = new Set<string>()
  const calls = new Map<string, readonly DevCall[]>()
  /** Queues whose calls are those of handlers that have been replaced. */
  const old = new Set<string>()
  /** Of invocations that run. */
  const begun = new Map<string, DevCall[]>()

  return {
    seed,
    observe: (event) => {
      if (event.type === 'begun') begun.set(event.awsRequestId, [])
      if (event.type === 'ended') {
        const made = begun.get(event.awsRequestId) ?? []
        begun.delete(event.awsRequestId)
        const known = old.has(event.queue) ? 0 : (calls.get(event.queue)?.length ?? 0)
        if (made.length > 0 && made.length >= known) {
          calls.set(event.queue, made)
          old.delete(event.queue)
        }
      }
      if (event.type !== 'call') return
      const { queue, action, words, effect, to, fault } = event
      const list = begun.get(event.awsRequestId) ?? []
      if (event.attempt <= 1 && list.length < MOST_CALLS) {
        list.push({
          action,
          words,
          ...(effect !== undefined && { effect }),
          ...(to !== undefined && { to }),
        })
      }
      const kill = kills.get(queue)
      if (kill !== undefined && fault === faultOf(kill)) kills.delete(queue)
    },
    faultsOf: ({ queue, faults: ofFile }) => ({ seed, ...(faults.get(queue) ?? ofFile) }),
    setFaults: (queue, next) => void faults.set(queue, next),
    kills: () => kills,
    setKill: (queue, kill) => void (kill === null ? kills.delete(queue) : kills.set(queue, kill)),
    paused: () => [...paused],
    setPaused: (queue, isPaused) => void (isPaused ? paused.add(queue) : paused.delete(queue)),
    loaded: () => {
      for (const queue of calls.keys()) old.add(queue)
    },
    callsOf: (queue) => calls.get(queue) ?? [],
  }
}

export function faultOf({ when = 'after' }: KillNext): 'killBefore' | 'killAfter' {
  return when === 'before' ? 'killBefore' : 'killAfter'
}
