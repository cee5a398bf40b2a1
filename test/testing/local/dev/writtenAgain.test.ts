import { expect, test } from 'vitest'
import { writtenAgain } from '../../../../src/testing/local/dev/writtenAgain.ts'
import type { CallEvent, LocalEvent } from '../../../../src/testing/local/index.ts'

const of = (awsRequestId: string) => ({
  queue: 'orders',
  function: 'orders',
  invocation: 1,
  awsRequestId,
})

function begun(awsRequestId: string, ...ids: readonly string[]): LocalEvent {
  const messages = ids.map((messageId) => ({ messageId, receiveCount: 1 }))
  return { ...of(awsRequestId), type: 'begun', at: 1, messages }
}

function call(awsRequestId: string, number: number, about: Partial<CallEvent>): LocalEvent {
  const at = { at: 2, began: 1, call: number, attempt: 1 }
  const words = 'updates stock sku=apple'
  return {
    ...of(awsRequestId),
    ...at,
    type: 'call',
    action: 'UpdateItem',
    outcome: 'ended',
    words,
    ...about,
  }
}

function redOf(events: readonly LocalEvent[]): readonly string[] {
  const book = writtenAgain()
  for (const event of events) book.observe(event)
  return book.read().map(({ request, text }) => `${request} ${text}`)
}

test('what a second invocation of a message writes again is a double, also when the first has died', () => {
  const events = [
    begun('a', 'm'),
    call('a', 1, { outcome: 'never', fault: 'killAfter' }),
    begun('b', 'm'),
    call('b', 1, {}),
  ]
  expect(redOf(events)).toEqual(['m updates stock sku=apple: in 2 invocations'])
})

test('a write that never left is none', () => {
  const events = [
    begun('a', 'm'),
    call('a', 1, { outcome: 'never', fault: 'killBefore' }),
    begun('b', 'm'),
    call('b', 1, {}),
  ]
  expect(redOf(events)).toEqual([])
})

test('writes to the same item for different messages are no doubles, in batches too', () => {
  const two = [call('a', 1, {}), call('a', 2, {})]
  expect(redOf([begun('a', 'm1', 'm2'), ...two, begun('b', 'm3'), call('b', 1, {})])).toEqual([])
})

test('one more write than messages in a batch is a double', () => {
  const two = [call('a', 1, {}), call('a', 2, {})]
  const again = [begun('b', 'm2'), call('b', 1, {})]
  expect(redOf([begun('a', 'm1', 'm2'), ...two, ...again])).toEqual([
    'm2 updates stock sku=apple: in 2 invocations',
  ])
})

test('a handler that writes twice for each message is not suspected', () => {
  const twice = (id: string) => [call(id, 1, {}), call(id, 2, {})]
  expect(redOf([begun('a', 'm1'), ...twice('a'), begun('b', 'm2'), ...twice('b')])).toEqual([])
})

test('a message that carries an id may be sent again: its consumers drop the copy', () => {
  const sent = { words: 'sends to paid', action: 'SendMessage', sends: ['id-1'] }
  expect(redOf([begun('a', 'm'), call('a', 1, sent), begun('b', 'm'), call('b', 1, sent)])).toEqual(
    [],
  )
  const bare = { words: 'sends to paid', action: 'SendMessage' }
  expect(redOf([begun('a', 'm'), call('a', 1, bare), begun('b', 'm'), call('b', 1, bare)])).toEqual(
    ['m sends to paid: in 2 invocations'],
  )
})

test('what was found wrong stays red when what is older than that is forgotten', () => {
  const events = [begun('a', 'm'), call('a', 1, {}), begun('b', 'm'), call('b', 1, {})]
  for (let number = 0; number < 10_001; number++) {
    const words = `updates stock sku=${number}`
    events.push(begun(`r${number}`, `m${number}`), call(`r${number}`, 1, { words }))
  }
  expect(redOf(events)).toEqual(['m updates stock sku=apple: in 2 invocations'])
})

test('the attempts of one call are one write', () => {
  const lost = call('a', 1, { outcome: 'failed', fault: 'loseAnswer' })
  const events = [begun('a', 'm'), lost, call('a', 1, { attempt: 2 }), begun('b', 'm')]
  expect(redOf(events)).toEqual([])
})
