import { expect, test } from 'vitest'
import { automaticBooks } from '../../../../src/testing/local/dev/automaticBooks.ts'
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

const RESERVE = {
  effect: 'reserve',
  requests: ['o-1'],
  words: 'effect reserve of orders/o-1: updates stock sku=apple',
}

function redOf(events: readonly LocalEvent[]): readonly string[] {
  const books = automaticBooks()
  for (const event of events) books.observe(event)
  return books
    .read(true)
    .flatMap(({ offending }) => offending.map(({ request, text }) => `${request} ${text}`))
}

test('an effect that two invocations have made is a double', () => {
  const events = [begun('a', 'm'), call('a', 3, RESERVE), begun('b', 'm'), call('b', 3, RESERVE)]
  expect(redOf(events)).toEqual(['o-1 reserve was made 2 times'])
})

test('neither a retry of the SDK nor a refused transaction makes an effect a double', () => {
  const events = [
    begun('a', 'm'),
    call('a', 3, { ...RESERVE, outcome: 'failed', fault: 'loseAnswer' }),
    call('a', 3, { ...RESERVE, attempt: 2 }),
    begun('b', 'm'),
    call('b', 3, { ...RESERVE, outcome: 'failed' }),
  ]
  expect(redOf(events)).toEqual([])
})

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

test('a message that was sent and never taken is lost, which is known at rest only', () => {
  const books = automaticBooks()
  books.sent([
    { messageId: 'm1', request: 'o-1' },
    { messageId: 'm2', request: 'o-2' },
  ])
  for (const event of [begun('a', 'm1'), begun('b', 'm1')]) books.observe(event)
  const [waiting, red] = [books.read(false).at(-1), books.read(true).at(-1)]
  expect(waiting).toMatchObject({ state: 'waiting', note: '2 taken = 1 messages + 1 again' })
  expect(red).toMatchObject({
    state: 'red',
    offending: [{ request: 'o-2', text: 'was never taken' }],
  })
})

test('what was found wrong stays red when what is older than that is forgotten', () => {
  const events = [
    begun('a', 'm'),
    call('a', 1, {}),
    call('a', 3, RESERVE),
    begun('b', 'm'),
    call('b', 1, {}),
    call('b', 3, RESERVE),
  ]
  for (let number = 0; number < 30_000; number++) {
    const words = `updates stock sku=${number}`
    const request = `r${number}`
    const reserve = { ...RESERVE, requests: [request] }
    events.push(begun(request, request), call(request, 1, { words }), call(request, 3, reserve))
  }
  expect(redOf(events)).toEqual([
    'o-1 reserve was made 2 times',
    'm updates stock sku=apple: in 2 invocations',
  ])
})

test('a message that was sent and is not taken is missed, however many are taken after it', () => {
  const books = automaticBooks()
  books.observe(begun('a', 'early'))
  books.sent([
    { messageId: 'early', request: 'r-early' },
    { messageId: 'lost', request: 'r-lost' },
  ])
  for (let number = 0; number < 10_001; number++) books.observe(begun(`i${number}`, `m${number}`))
  books.observe(begun('again', 'm10000'))
  expect(books.read(true).at(-1)).toMatchObject({
    state: 'red',
    offending: [{ request: 'r-lost', text: 'was never taken' }],
    note: '10003 taken = 10002 messages + 1 again',
  })
})
