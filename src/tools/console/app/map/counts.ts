import type { Depth } from '../stream/activity.ts'

interface Count {
  readonly name: string
  readonly count: number
}

export function countsOf(depth: Depth | undefined): readonly Count[] {
  const { ready = 0, inFlight = 0, delayed = 0 } = depth ?? {}
  return [
    { name: 'ready', count: ready },
    { name: 'in flight', count: inFlight },
    { name: 'delayed', count: delayed },
  ]
}

/** All messages, whatever their state. */
export function inQueue(depth: Depth | undefined): number {
  return countsOf(depth).reduce((sum, { count }) => sum + count, 0)
}
