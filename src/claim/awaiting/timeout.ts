import type { StandardSchemaV1 } from '@standard-schema/spec'

/** Body of the message that a flow sends to itself, to arrive when an answer is overdue. */
export const TIMEOUT_BODY = { $lineclear: 'timeout' } as const

export function isTimeoutBody(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length === 1 &&
    '$lineclear' in value &&
    value.$lineclear === TIMEOUT_BODY.$lineclear
  )
}

/**
 * Answers and reminders arrive on the same queue, so the schema accepts both. Whether a reminder is genuine is decided by the
 * attributes that it carries.
 */
export function timeoutOr(schema: StandardSchemaV1): StandardSchemaV1 {
  const { validate, ...standard } = schema['~standard']
  const either: StandardSchemaV1['~standard'] = {
    ...standard,
    validate: (value, options) => (isTimeoutBody(value) ? { value } : validate(value, options)),
  }
  // With its own properties, by which the names that it declares are told from others in the payload.
  const own = Object.getOwnPropertyDescriptors(schema)
  return Object.defineProperties(
    { '~standard': either },
    { ...own, '~standard': { value: either } },
  )
}
