import type { Figures, Part } from '../measured.ts'
import { tripFlow, type TripOptions } from '../peers/trip.ts'
import { startDatabase, type Database } from '../database/startDatabase.ts'
import { clientOf } from './counts.ts'

/** What a flow of three stages costs, from its start to its end. */
export interface FlowCost {
  readonly requests: number
  /** On the table and on its index. */
  readonly writeUnits: number
  readonly readUnits: number
}

interface FlowOptions extends Pick<TripOptions, 'call'> {
  /** Keys of flows that have run before in the sandbox, and are not counted. After ten it tries claims before it reads (claimStreak). */
  readonly before?: readonly string[]
}

export const flows: Part = {
  name: 'flows',
  title: 'requests and units of flows',
  async measure() {
    const database = await startDatabase()
    const rows: { readonly size: number; readonly call: boolean; readonly cost: FlowCost }[] = []
    for (const call of [false, true]) {
      for (const size of [1, 10, 100]) {
        rows.push({ size, call, cost: await countFlows(database, size, { call, before: WARM }) })
      }
    }
    await database.stop()
    const table = {
      title: 'A flow of three stages, counted per flow, index included',
      head: ['flows at once', 'each stage', 'requests', 'write units', 'read units'],
      rows: rows.map(({ size, call, cost }) => [
        size,
        call ? 'one `call`' : 'only sends',
        cost.requests,
        cost.writeUnits,
        cost.readUnits,
      ]),
    }
    const [one, ten, hundred, withOnce] = rows.map(({ cost }) => cost)
    const figures: Figures = {
      'requests of a flow, batch of 1': one?.requests ?? Number.NaN,
      'requests of a flow, batch of 10': ten?.requests ?? Number.NaN,
      'requests of a flow, batch of 100': hundred?.requests ?? Number.NaN,
      'write units of a flow of three stages': Math.max(
        ...[one, ten, hundred].map((cost) => cost?.writeUnits ?? Number.NaN),
      ),
      'write units that one `call` adds':
        ((withOnce?.writeUnits ?? Number.NaN) - (one?.writeUnits ?? Number.NaN)) / STAGES,
    }
    return { tables: [table], figures }
  },
}

const STAGES = 3

/** As many flows as a batch holds, each with a key that was never used. */
export function countFlows(
  database: Database,
  size: number,
  options: FlowOptions = {},
): Promise<FlowCost> {
  return countBatches(database, [keysOf('cart', size)], options)
}

export const WARM: readonly string[] = keysOf('before', 10)

/** Batches of flows one after the other, each flow with its key. */
export async function countBatches(
  database: Database,
  batches: readonly (readonly string[])[],
  { before = [], ...options }: FlowOptions = {},
): Promise<FlowCost> {
  database.reset()
  const client = clientOf(database)
  const trip = tripFlow({ client, ...options })
  await trip.run(before, 1)
  database.startCounting()
  let total = 0
  for (const keys of batches) {
    const ended = await trip.run(keys, keys.length)
    if (ended !== keys.length) throw new Error(`${ended} of ${keys.length} flows have ended`)
    total += ended
  }
  client.destroy()
  const { requests, writeUnits, readUnits } = database.counts()
  return {
    requests: requests / total,
    writeUnits: writeUnits / total,
    readUnits: readUnits / total,
  }
}

function keysOf(name: string, size: number): readonly string[] {
  return Array.from({ length: size }, (_, nth) => `${name}/${nth}`)
}
