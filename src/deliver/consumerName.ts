import { claimedBy } from '../claim/token/claimedBy.ts'
import type { Consumer } from './consumer.ts'
import type { IncomingRecord } from './incomingRecord.ts'
import type { Invocation } from './invocation.ts'

/** Parts of a function's ARN without version or alias: a new deployment is the same consumer. */
const UNQUALIFIED = 7

/** By queue: hashing the same two ARNs for each record takes a twentieth of its CPU. */
const namesOf = new WeakMap<Invocation, Map<string, string | undefined>>()

/**
 * Identifies the function and its queue: two of them under one name are a mistake.
 * @returns undefined when several functions are one consumer, or when the function is not known
 */
export function consumerNameOf(
  { record: { eventSourceARN } }: IncomingRecord,
  invocation: Invocation,
): string | undefined {
  const names = namesOf.get(invocation) ?? new Map<string, string | undefined>()
  if (names.has(eventSourceARN)) return names.get(eventSourceARN)
  const name = nameOf(eventSourceARN, invocation)
  namesOf.set(invocation, names.set(eventSourceARN, name))
  return name
}

function nameOf(queueArn: string, { consumer, lambda }: Invocation): string | undefined {
  if (consumer.sharedName) return undefined
  const name: unknown = lambda?.invokedFunctionArn ?? lambda?.functionName
  if (typeof name !== 'string') return undefined
  return claimedBy(name.split(':').slice(0, UNQUALIFIED).join(':'), queueArn)
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
