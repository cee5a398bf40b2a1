import type { Socket } from 'node:net'

/** Counted since the last reset. `up` and `down` are bytes of HTTP, headers included. */
export interface Counts {
  readonly requests: number
  readonly byOperation: Readonly<Record<string, number>>
  readonly writeUnits: number
  readonly readUnits: number
  readonly up: number
  readonly down: number
  /** Bytes of the requests' bodies: the same on every machine, unlike headers. */
  readonly bodies: number
  readonly connections: number
}

export interface Tally {
  requests: number
  bodies: number
  connections: number
  readonly byOperation: Record<string, number>
  readonly units: { write: number; read: number }
  readonly before: { readonly up: number; readonly down: number }
  /** The answer to the first request that no peer should make. */
  mistake?: string
}

export function newTally(before: Tally['before']): Tally {
  const units = { write: 0, read: 0 }
  return { requests: 0, bodies: 0, connections: 0, byOperation: {}, units, before }
}

export function bytesOf(sockets: ReadonlySet<Socket>): { up: number; down: number } {
  const total = { up: 0, down: 0 }
  for (const { bytesRead, bytesWritten } of sockets) {
    total.up += bytesRead
    total.down += bytesWritten
  }
  return total
}

export function countsOf(tally: Tally, sockets: ReadonlySet<Socket>): Counts {
  const { units, before, requests, bodies, byOperation, connections, mistake } = tally
  if (mistake !== undefined) {
    throw new Error('a count of failed calls says nothing', { cause: mistake })
  }
  const now = bytesOf(sockets)
  return {
    requests,
    bodies,
    byOperation,
    connections,
    writeUnits: units.write,
    readUnits: units.read,
    up: now.up - before.up,
    down: now.down - before.down,
  }
}
