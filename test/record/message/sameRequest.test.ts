import { expect, it } from 'vitest'
import { isSameRequest, payloadHashOf } from '../../../src/record/message/identity.ts'

const stated = (body: string): string => payloadHashOf(body, false)
const computed = (body: string): string => payloadHashOf(body, true)

it.each([
  ['the same body', stated('a'), stated('a'), true],
  ['another body', stated('a'), stated('b'), false],
  ['another body, both ids computed from it', computed('a'), computed('b'), true],
  ['another body, only the first id computed', computed('a'), stated('b'), false],
  ['another body, only the second id computed', stated('a'), computed('b'), false],
  ['the same body, one id computed', stated('a'), computed('a'), true],
])('%s under one id', (_, before, payloadHash, same) => {
  expect(isSameRequest(before, { payloadHash, trustsUnhashed: false })).toBe(same)
})
