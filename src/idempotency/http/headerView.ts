import { isRecord, readHttpEvent } from './httpEvent.ts'
import { unquoted } from './idempotencyKeyHeader.ts'

/**
 * The event as an expression reads it: `headers."idempotency-key"` finds the header however the client and the API wrote
 * its name, and the key without its quotes. Other events are left as they are.
 */
export function headerView(event: unknown): unknown {
  const http = readHttpEvent(event)
  if (http === undefined || !isRecord(event)) return event
  const headers = new Proxy(isRecord(event['headers']) ? event['headers'] : {}, {
    get: (target, name): unknown => {
      const own: unknown = Reflect.get(target, name)
      if (typeof name !== 'string') return own
      const value = http.header(name) ?? own
      return name.toLowerCase() === 'idempotency-key' && typeof value === 'string'
        ? unquoted(value)
        : value
    },
  })
  return { ...event, headers }
}
