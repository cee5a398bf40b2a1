import type { StandardSchemaV1 } from '@standard-schema/spec'

/** Body of the message that a flow sends to itself for the time when an answer is overdue. */
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

/** Answers come on the same queue as the timeouts. That a timeout is one of ours is judged by what it carries. */
export function timeoutOr(schema: StandardSchemaV1): StandardSchemaV1 {
  const { validate, ...standard } = schema['~standard']
  return {
    '~standard': {
      ...standard,
      validate: (value, options) => (isTimeoutBody(value) ? { value } : validate(value, options)),
    },
  }
}
