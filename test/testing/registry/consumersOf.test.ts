import { defineFlow, idempotent, invocationHandler, recordHandler } from 'lineclear'
import { consumersOf, memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const store = memoryStore()
const url = (queue: string) => `https://sqs.eu-west-1.amazonaws.com/1/${queue}`

const trip = defineFlow({
  name: 'trip',
  store,
  key: (payload) => payload.key,
  stages: {
    book: { schema: z.object({ key: z.string() }), queueUrl: url('book') },
    pay: { schema: z.object({ key: z.string() }), queueUrl: url('pay'), final: true },
  },
  awaitingSteps: {
    found: { schema: z.object({ id: z.string() }), id: ({ id }) => id, queueUrl: url('found') },
  },
})
const flow = {
  name: 'trip',
  stages: [
    { name: 'book', queue: 'book' },
    { name: 'pay', queue: 'pay', final: true },
  ],
  steps: [{ name: 'found', queue: 'found' }],
}
describe('the description of a handler', () => {
  it('of records has what its options say', () => {
    const options = { name: 'orders', store, deadLetterQueueUrl: url('orders-dead') }
    const handler = recordHandler(options, () => {})
    expect(consumersOf(handler)).toEqual([
      { name: 'orders', kind: 'record', deadLetterQueue: 'orders-dead', sendsTo: [] },
    ])
    const bare = recordHandler({ name: 'bare', store }, () => {})
    expect(consumersOf(bare)).toEqual([{ name: 'bare', kind: 'record', sendsTo: [] }])
  })

  it('of a stage and of an answer has the flow, and where it may send', () => {
    const book = trip.stageHandler('book', () => {})
    expect(consumersOf(book)).toEqual([
      { name: 'trip.book', kind: 'stage', sendsTo: ['pay'], flow: { ...flow, part: 'book' } },
    ])
    expect(consumersOf(trip.stageHandler('pay', () => {}))).toMatchObject([{ sendsTo: [] }])
    expect(consumersOf(trip.answerHandler('found', () => {}))).toMatchObject([
      { kind: 'answer', name: 'trip.found', sendsTo: ['book', 'pay'] },
    ])
  })

  it('of functions and invocations has their scope', () => {
    const pay = idempotent(
      { store, name: 'payments', key: (id: string) => id },
      async (id: string) => id.length,
    )
    const night = invocationHandler({ name: 'settle', store }, async () => 1)
    const described = [pay, night].flatMap((one) => consumersOf(one))
    expect(described.map(({ name, kind }) => [name, kind])).toEqual([
      ['payments', 'function'],
      ['settle', 'invocation'],
    ])
  })

  it('of anything else is none', () => {
    for (const other of [() => {}, undefined, null, 'text', {}, 5]) {
      expect(consumersOf(other)).toEqual([])
    }
  })
})
