import { createHash } from 'node:crypto'

/** The key of an order in the table of Powertools. One that differs from a real `id` there is no error: both sides charge. */
export function powertoolsId(keyPrefix: string, orderId: string): string {
  return `${keyPrefix}#${createHash('md5').update(JSON.stringify(orderId)).digest('base64')}`
}
