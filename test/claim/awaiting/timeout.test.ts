import * as v from 'valibot'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  TIMEOUT_BODY,
  timeoutOr,
} from '../../../src/library/protocol/claim/awaiting/stepMessage.ts'
import { parsePayload } from '../../../src/library/protocol/record/message/parsePayload.ts'

const SCHEMAS: readonly (readonly [library: string, StandardSchemaV1])[] = [
  ['zod', z.object({ quoteId: z.string() })],
  ['valibot', v.object({ quoteId: v.string() })],
  ['a library whose schemas are functions', functionSchema()],
]

/** As those of arktype. */
function functionSchema(): StandardSchemaV1 {
  const { validate, ...standard } = z.object({ quoteId: z.string() })['~standard']
  const own = { '~standard': { ...standard, validate }, json: { required: [{ key: 'quoteId' }] } }
  return Object.assign(() => {}, own)
}

function refusalOf(schema: StandardSchemaV1, payload: unknown): string {
  try {
    parsePayload(JSON.stringify(payload), 'json', schema)
    return 'accepted'
  } catch (error) {
    return String(error)
  }
}

describe.each(SCHEMAS)('the schema of answers, of %s', (_library, schema) => {
  it('accepts answers and reminders', () => {
    expect(refusalOf(timeoutOr(schema), { quoteId: 'q' })).toBe('accepted')
    expect(refusalOf(timeoutOr(schema), TIMEOUT_BODY)).toBe('accepted')
    expect(refusalOf(schema, TIMEOUT_BODY)).not.toBe('accepted')
  })

  it('says of a refused answer what the schema itself would say: with the names that it declares', () => {
    const wrong = { quoteId: 5, 'ann@example.com': 1 }
    expect(refusalOf(timeoutOr(schema), wrong)).toBe(refusalOf(schema, wrong))
    expect(refusalOf(timeoutOr(schema), wrong)).toContain('quoteId')
    expect(refusalOf(timeoutOr(schema), wrong)).not.toContain('ann@')
  })
})
