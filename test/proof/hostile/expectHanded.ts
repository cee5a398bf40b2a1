import type { SQSRecord } from 'aws-lambda'
import { expect } from 'vitest'
import { inCalm } from './mode.ts'

export interface Handed {
  /** Messages that were on the queue. */
  readonly came: number
  /** Those that stay there. */
  readonly kept: number
}

/** In a hostile mode a message may have been sent twice: whether any of them stays is the same. */
export function expectHanded(handed: Handed, expected: Handed): void {
  inCalm('deliveries', () => expect(handed).toEqual(expected))
  expect(handed.came).toBeGreaterThanOrEqual(expected.came)
  expect(handed.kept > 0).toBe(expected.kept > 0)
}

/** The number of distinct messages: under one id, a message may have been sent twice. */
export function expectMessages(records: readonly SQSRecord[], count: number): void {
  inCalm('deliveries', () => expect(records).toHaveLength(count))
  const ids = records.map(
    ({ messageAttributes, body }) => messageAttributes['uniquerequestid']?.stringValue ?? body,
  )
  expect(new Set(ids).size).toBe(count)
}
