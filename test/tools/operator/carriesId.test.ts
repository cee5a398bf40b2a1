import { expect, it } from 'vitest'
import { carriesId } from '../../../src/tools/operator/dlq/carriesId.ts'

it.each<readonly [payload: string, id: string, carries: boolean]>([
  ['{"id":"order-1"}', 'order-1', true],
  ['{"lines":[{"order":{"id":"order-1"}}]}', 'order-1', true],
  ['{"id":17}', '17', true],
  ['"order-1"', 'order-1', true],
  ['{"id":"a\\"b ü"}', 'a"b ü', true],
  ['{"id":"\\u00fcber"}', 'über', true],
  ['{"id":"order-17"}', 'order-1', false],
  ['{"text":"see order-1"}', 'order-1', false],
  ['{"order-1":true}', 'order-1', false],
  ['{"id":""}', '', false],
  ['<order id="order-1"/>', 'order-1', true],
  ['order-17, then order-1.', 'order-1', true],
  ['order-17', 'order-1', false],
  ['größer', 'größe', false],
])('%s has %j as a whole value: %s', (payload, id, carries) => {
  expect(carriesId(payload, id)).toBe(carries)
})

it('a payload that is nested without an end ends', () => {
  expect(carriesId(`${'['.repeat(5_000)}"x"${']'.repeat(5_000)}`, 'x')).toBe(false)
})
