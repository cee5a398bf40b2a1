import { isObject } from '../../base/kindOf.ts'
import { readHttpEvent } from './httpEvent.ts'
import { unquoted } from './idempotencyKeyHeader.ts'

/**
 * The event as an expression sees it: header names are case-insensitive, and `headers."idempotency-key"` is the key without its
 * quotes. Events that are not HTTP requests stay as they are.
 */
export function headerView(event: unknown): unknown {
  const http = readHttpEvent(event)
  if (http === undefined || !isObject(event)) return event
  const headers = new Proxy(isObject(event['headers']) ? event['headers'] : {}, {
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
