import { expect, it } from 'vitest'
import { z } from 'zod'
import { tokenKey } from '../../src/library/protocol/claim/token/token.ts'
import type { Item } from '../../src/library/protocol/store/store.ts'
import { consumerOf } from './consumerOf.ts'
import { nativeRedrive } from '../testing/nativeRedrive.ts'

const HOUR = 3_600_000

it('a redriven dead letter runs also when a newer copy of its request was on the queue before', async () => {
  let isBad = false
  const schema = z.unknown().refine(() => !isBad)
  let runs = 0
  const { clock, dead, queue, store, send, deliver, reasons } = consumerOf(
    () => {
      runs += 1
      if (runs === 1) throw new Error('not yet')
    },
    { schema },
  )
  await deliver(send('{}'))
  const [copy] = queue.messages
  if (copy === undefined) throw new Error('no copy')
  isBad = true
  clock.advance(HOUR)
  await deliver(copy)
  expect(reasons()).toEqual(['rejected'])
  isBad = false
  const [back] = nativeRedrive(dead, queue, clock.now())
  if (back === undefined) throw new Error('no dead letter')
  const { read } = store
  const [before] = store.items()
  const stale: Item = {
    ...before,
    status: 'inProgress',
    resendNumber: 1,
    confirmed: true,
    leaseUntil: 0,
  }
  store.read = async (keys, options) =>
    options?.consistent === true ? read(keys, options) : [{ kind: 'found', item: stale }]
  await deliver(back)
  expect([runs, queue.messages, dead.messages]).toEqual([2, [], []])
})

it('a copy made after a redrive is not dropped because a stale read shows the state before it', async () => {
  let fails = true
  let runs = 0
  const { clock, dead, queue, store, sendStamped, deliver } = consumerOf(
    () => {
      runs += 1
      if (fails) throw new Error('not yet')
    },
    { retry: { maxAttempts: 3 } },
  )
  const firstLife: Item[] = []
  sendStamped('r')
  for (let nth = 0; nth < 3; nth++) {
    await deliver([...queue.messages])
    if (nth === 1) firstLife.push(...store.items())
    clock.advance(HOUR)
  }
  await deliver(nativeRedrive(dead, queue, clock.now()))
  clock.advance(HOUR)
  fails = false
  const [truth] = store.items()
  expect(truth).toMatchObject({ pk: tokenKey('orders', 'r').pk, resendNumber: 1, death: 1 })
  const { read } = store
  store.read = async (keys, options) =>
    options?.consistent === true
      ? read(keys, options)
      : keys.map(() => ({ kind: 'found', item: firstLife[0] }))
  await deliver([...queue.messages])
  expect([runs, queue.messages, dead.messages]).toEqual([5, [], []])
})
