import type { Query } from '../../address.ts'
import type { Letter } from './answers.ts'

/** Origins that name no consumer, as `dlq peek` words them. */
const NO_CONSUMER = /^(?:queue|topic|flow) |^not said$/

/** Where the page of its request is. undefined: the dead letter names neither a flow nor a consumer. */
export function requestOf({ flow, run, of, uniquerequestid }: Letter): Query | undefined {
  if (flow !== undefined) return { id: flow, request: run }
  return NO_CONSUMER.test(of) ? undefined : { id: `${of}/${uniquerequestid}` }
}
