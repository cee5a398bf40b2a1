import { claimedBy } from '../claim/token/claimedBy.ts'
import type { Consumer } from './consumer.ts'
import type { IncomingRecord } from './incomingRecord.ts'
import type { Invocation } from './invocation.ts'

/** Parts of a function's ARN without version or alias: a new deployment is the same consumer. */
const UNQUALIFIED = 7

/**
 * Identifies the function and its queue: two of them under one name are a mistake.
 * @returns undefined when several functions are one consumer, or when the function is not known
 */
export function consumerNameOf(
  { record }: IncomingRecord,
  { consumer, lambda }: Invocation,
): string | undefined {
  if (consumer.sharedName) return undefined
  const name: unknown = lambda?.invokedFunctionArn ?? lambda?.functionName
  if (typeof name !== 'string') return undefined
  return claimedBy(name.split(':').slice(0, UNQUALIFIED).join(':'), record.eventSourceARN)
}

/**
 * The name under which a request and its effects are stored. A renamed consumer keeps using its oldest name: copies may arrive
 * under either name, and under two names one request would run as two. An
 * undo has a scope of its own.
 */
export function scopeOf(
  { message }: IncomingRecord,
  { name, names, formerNames }: Consumer,
): string {
  const [oldest = name] = formerNames
  const { consumer = '', undo } = message.envelope.carried
  const isOwn =
    undo === undefined || names === undefined ? formerNames.includes(consumer) : names.has(consumer)
  return isOwn ? consumer : oldest
}
