import { claimedBy } from '../claim/token/claimedBy.ts'
import type { Invocation } from './invocation.ts'
import type { IncomingRecord } from './incomingRecord.ts'

/** Of a function in whatever version or alias: a deployment is no other consumer. */
const UNQUALIFIED = 7

/** @returns undefined when several functions are to be one consumer, or when it is not known which function this is. */
export function consumerNameOf(
  { record }: IncomingRecord,
  { consumer, lambda }: Invocation,
): string | undefined {
  if (consumer.sharedName) return undefined
  const name: unknown = lambda?.invokedFunctionArn ?? lambda?.functionName
  if (typeof name !== 'string') return undefined
  return claimedBy(name.split(':').slice(0, UNQUALIFIED).join(':'), record.eventSourceARN)
}
