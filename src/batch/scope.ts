import type { Consumer } from './consumer.ts'
import type { IncomingRecord } from './incomingRecord.ts'

/**
 * The name under which a request is known in the store, and under which it names what it does. A renamed consumer goes on
 * under its oldest name: by two names one request would be two, and a copy may come by either.
 */
export function scopeOf({ message }: IncomingRecord, { name, formerNames }: Consumer): string {
  const [oldest = name] = formerNames
  const { consumer } = message.envelope.carried
  return consumer !== undefined && formerNames.includes(consumer) ? consumer : oldest
}
