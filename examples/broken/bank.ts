import { createHash } from 'node:crypto'

/** A model of a payment provider that knows idempotency keys, and that is down. */
export function charge(cents: number, idempotencyKey: string, isUp: boolean): string {
  const request = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 12)
  if (!isUp) throw new Error(`bank: 503 Service Unavailable, request ${request}`)
  return `receipt ${request} over ${cents}`
}
