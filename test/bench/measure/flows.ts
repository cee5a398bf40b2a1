import { clientOf } from './counts.ts'
import { tripFlow } from '../peers/trip.ts'
import type { Stub } from '../stub/server.ts'

/** What a flow of three stages costs, from its start to its end. */
export interface FlowCost {
  readonly requests: number
  /** On the table and on its index. */
  readonly writeUnits: number
  readonly readUnits: number
}

/** As many flows as a batch holds, each with a key that was never used. */
export async function countFlows(
  stub: Stub,
  size: number,
  options: { readonly once?: boolean } = {},
): Promise<FlowCost> {
  stub.reset()
  const client = clientOf(stub)
  const keys = Array.from({ length: size }, (_, nth) => `cart/${nth}`)
  const ended = await tripFlow({ client, ...options }).run(keys, size)
  client.destroy()
  if (ended !== size) throw new Error(`${ended} of ${size} flows have ended`)
  const { requests, writeUnits, readUnits } = stub.counts()
  return { requests: requests / size, writeUnits: writeUnits / size, readUnits: readUnits / size }
}
