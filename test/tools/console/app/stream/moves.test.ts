import { expect, it } from 'vitest'
import { movesOf } from '../../../../../src/tools/console/app/stream/moves.ts'
import { begun, call } from './events.ts'

const send = { action: 'SendMessage', to: 'paid' }

it('a delivery moves its messages to the function', () => {
  expect(movesOf(begun(1, 0, 10))).toMatchObject([{ to: { kind: 'function' }, count: 10 }])
})

it.each([
  ['that was answered', {}],
  ['whose answer was lost', { outcome: 'failed', fault: 'loseAnswer' }],
  ['that took effect before the function died', { outcome: 'never', fault: 'killAfter' }],
] as const)('a send %s moves a message', (_, given) => {
  expect(movesOf(call(1, { ...send, ...given }))).toMatchObject([
    { from: { name: 'worker' }, to: { name: 'paid' } },
  ])
})

it.each([
  ['that failed', { outcome: 'failed' }],
  ['that was throttled', { outcome: 'failed', fault: 'throttle' }],
  ['of a function that died first', { outcome: 'never', fault: 'killBefore' }],
] as const)('a send %s moves nothing', (_, given) => {
  expect(movesOf(call(1, { ...send, ...given }))).toEqual([])
})

it('no other call moves anything', () => {
  expect(movesOf(call(1, { to: 'orders', action: 'ChangeMessageVisibility' }))).toEqual([])
  expect(movesOf(call(1))).toEqual([])
})

it('what is published goes to the topic, also where a queue has its name', () => {
  expect(movesOf(call(1, { action: 'Publish', to: 'paid' }))).toMatchObject([
    { to: { kind: 'topic', name: 'paid' } },
  ])
})
