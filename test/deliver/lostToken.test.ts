import { documented } from '../proof/formats/page.ts'
import { RetryableError, recordHandler, type Store, TerminalError, writeHandler } from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { delayedCloud, HOUR } from '../features/delay/delayedCloud.ts'
import { nativeRedrive } from '../testing/nativeRedrive.ts'
import { consumerOf } from './consumerOf.ts'

/** A table that is emptied by hand, or restored without its items. */
function losable(): { readonly store: Store; lose(): void; bringBack(): void } {
  const before = documented(memoryStore())
  let inner = before
  return {
    store: new Proxy(before, { get: (_, name) => Reflect.get(inner, name) as unknown }),
    lose: () => void (inner = documented(memoryStore())),
    bringBack: () => void (inner = before),
  }
}

/** Runs once, and fails with the error. */
function dying(error: Error, more: Parameters<typeof consumerOf>[1] = {}) {
  const table = losable()
  let runs = 0
  const options = { ...more, store: table.store }
  const consumer = consumerOf(() => {
    runs += 1
    if (runs === 1) throw error
  }, options)
  const redrive = () => nativeRedrive(consumer.dead, consumer.queue, consumer.clock.now())
  return { ...consumer, ...table, redrive, runs: () => runs }
}

describe('a message that was attempted, and whose token is gone', () => {
  it('is dead-lettered as a lost record when it is a dead letter, as often as it is redriven', async () => {
    const { send, deliver, lose, redrive, reasons, runs } = dying(new TerminalError('no'))
    await deliver(send('{}'))
    expect(reasons()).toEqual(['terminal'])
    lose()
    for (const _again of [1, 2]) {
      await deliver(redrive())
      expect(reasons()).toEqual(['lost record'])
    }
    expect(runs()).toBe(1)
  })

  it('and so is the copy for a retry, also when its dead letter is redriven', async () => {
    const { clock, queue, send, deliver, lose, redrive, reasons, runs } = dying(new Error('again'))
    await deliver(send('{}'))
    lose()
    clock.advance(HOUR)
    await deliver([...queue.messages])
    expect(reasons()).toEqual(['lost record'])
    await deliver(redrive())
    expect(reasons()).toEqual(['lost record'])
    expect(runs()).toBe(1)
  })

  it('and a copy that its schema refuses, once it is taken again', async () => {
    let isBad = false
    const schema = z.unknown().refine(() => !isBad)
    const given = dying(new Error('again'), { schema })
    const { clock, queue, send, deliver, lose, redrive, reasons, runs } = given
    await deliver(send('{}'))
    lose()
    isBad = true
    clock.advance(HOUR)
    await deliver([...queue.messages])
    expect(reasons()).toEqual(['rejected'])
    isBad = false
    await deliver(redrive())
    expect([reasons(), runs()]).toEqual([['lost record'], 1])
  })

  it('runs again where it died when the table is back', async () => {
    const { dead, queue, send, deliver, lose, bringBack, redrive, reasons, runs } = dying(
      new TerminalError('no'),
    )
    await deliver(send('{}'))
    lose()
    await deliver(redrive())
    expect(reasons()).toEqual(['lost record'])
    bringBack()
    await deliver(redrive())
    expect([runs(), dead.messages, queue.messages]).toEqual([2, [], []])
  })

  it('is too old when it is older than the retention, within which no token expires', async () => {
    const { clock, send, deliver, lose, redrive, reasons } = dying(new TerminalError('no'), {
      retention: '2d',
    })
    await deliver(send('{}'))
    lose()
    clock.advance(49 * HOUR)
    await deliver(redrive())
    expect(reasons()).toEqual(['too old'])
  })

  it('nor is a retry run that the sweeper sends from its row', async () => {
    const table = losable()
    const cloud = delayedCloud(() => table.store)
    let runs = 0
    const handler = recordHandler({ name: 'orders', ...cloud.options }, () => {
      runs += 1
      throw new RetryableError('closed', { retryAfter: 2 * HOUR })
    })
    cloud.send('orders', {})
    await cloud.deliver('orders', handler)
    const [row] = await cloud.waiting()
    table.lose()
    if (row === undefined) throw new Error('no row')
    const { pk, sk } = row
    if (typeof pk !== 'string' || typeof sk !== 'string') throw new Error('a row without a key')
    await cloud.store.create([{ ...row, pk, sk }])
    cloud.clock.advance(2 * HOUR)
    await cloud.sweep()
    await cloud.deliver('orders', handler)
    expect(runs).toBe(1)
    expect(cloud.messages('dead')).toMatchObject([{ carried: { reason: 'lost record' } }])
  })

  it('nor by a handler that returns its writes', async () => {
    const { store, lose, send, deliver, options, redrive, reasons } = dying(new Error('unused'))
    let runs = 0
    const returning = writeHandler({ ...options, store }, () => {
      runs += 1
      throw new TerminalError('no')
    })
    await deliver(send('{}'), {}, returning)
    lose()
    await deliver(redrive(), {}, returning)
    expect([reasons(), runs]).toEqual([['lost record'], 1])
  })
})

describe('a dead letter that no attempt has written', () => {
  it('runs when it is redriven: it was rejected before a claim', async () => {
    let isBad = true
    const schema = z.unknown().refine(() => !isBad)
    const { send, deliver, redrive, reasons, runs, queue } = dying(new Error('again'), { schema })
    await deliver(send('{}'))
    expect(reasons()).toEqual(['rejected'])
    isBad = false
    await deliver(redrive())
    expect([reasons(), runs(), queue.messages.length]).toEqual([[], 1, 1])
  })

  it('runs when it was too old, and the retention was raised', async () => {
    const given = dying(new Error('unused'), { retry: { maxAge: '1h' } })
    const { clock, send, deliver, redrive, reasons, runs } = given
    const message = send('{}')
    clock.advance(2 * HOUR)
    await deliver(message)
    expect(reasons()).toEqual(['too old'])
    await deliver(redrive())
    expect(runs()).toBe(1)
  })

  it('runs when it was on the queue of another consumer', async () => {
    const { store, options, send, deliver, redrive, reasons, runs } = dying(new TerminalError('no'))
    const other = recordHandler({ ...options, store, name: 'other' }, () => {})
    await deliver(send('{}'))
    await deliver(redrive(), {}, other)
    expect(reasons()).toEqual(['wrong consumer'])
    await deliver(redrive())
    expect([reasons(), runs()]).toEqual([[], 2])
  })
})
