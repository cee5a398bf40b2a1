import type { SQSRecord } from 'aws-lambda'

/** The tenant of a message on a fair queue: its group, on a standard queue. */
export function tenantOf({ attributes, eventSourceARN }: SQSRecord): string | undefined {
  const group: unknown = attributes?.MessageGroupId
  const source: unknown = eventSourceARN
  const isFifo = typeof source === 'string' && source.endsWith('.fifo')
  return typeof group === 'string' && group !== '' && !isFifo ? group : undefined
}
