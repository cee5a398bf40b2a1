import { expect, it } from 'vitest'
import { sendOf } from '../../../../../src/tools/console/app/stream/sendOf.ts'
import { begun, call } from './events.ts'

const send = { action: 'SendMessage', to: 'paid' }

it.each([
  ['that was answered', {}],
  ['whose answer was lost', { outcome: 'failed', fault: 'loseAnswer' }],
  ['that took effect before the function died', { outcome: 'never', fault: 'killAfter' }],
] as const)('a call %s has sent a message', (_, given) => {
  const to = { kind: 'queue', name: 'paid' }
  expect(sendOf(call(1, { ...send, ...given }))).toEqual({ function: 'worker', to })
})

it.each([
  ['that failed', { outcome: 'failed' }],
  ['that was throttled', { outcome: 'failed', fault: 'throttle' }],
  ['of a function that died first', { outcome: 'never', fault: 'killBefore' }],
] as const)('a call %s has sent nothing', (_, given) => {
  expect(sendOf(call(1, { ...send, ...given }))).toBeUndefined()
})

it('nothing else sends', () => {
  expect(sendOf(begun(1, 0, 10))).toBeUndefined()
  expect(sendOf(call(1, { to: 'orders', action: 'ChangeMessageVisibility' }))).toBeUndefined()
  expect(sendOf(call(1))).toBeUndefined()
})

it('what is published goes to the topic, also where a queue has its name', () => {
  expect(sendOf(call(1, { action: 'Publish', to: 'paid' }))).toMatchObject({
    to: { kind: 'topic', name: 'paid' },
  })
})
