import type { Faults } from '../../../testing/local/faults/faults.ts'
import type { LocalEvent } from '../../../testing/local/observe/event.ts'
import type { Described } from './protocol.ts'
import type { KillNext } from './types.ts'

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
}

export function newControls(seed: number): Controls {
  const faults = new Map<string, Faults>()
  const kills = new Map<string, KillNext>()
  const paused = new Set<string>()
  return {
    seed,
    observe: (event) => {
      if (event.type !== 'call') return
      const kill = kills.get(event.queue)
      if (kill !== undefined && event.fault === faultOf(kill)) kills.delete(event.queue)
    },
    faultsOf: ({ queue, faults: ofFile }) => ({ seed, ...(faults.get(queue) ?? ofFile) }),
    setFaults: (queue, next) => void faults.set(queue, next),
    kills: () => kills,
    setKill: (queue, kill) => void (kill === null ? kills.delete(queue) : kills.set(queue, kill)),
    paused: () => [...paused],
    setPaused: (queue, isPaused) => void (isPaused ? paused.add(queue) : paused.delete(queue)),
  }
}

export function faultOf({ when = 'after' }: KillNext): 'killBefore' | 'killAfter' {
  return when === 'before' ? 'killBefore' : 'killAfter'
}
