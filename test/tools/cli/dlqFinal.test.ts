import { TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { deliver } from '../../deliver/deliver.ts'
import { emptyAll, send } from '../../flow/flowHarness.ts'
import { consumerOn, operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const REDRIVE = ['dlq', 'redrive', 'dead', '--to', 'book'] as const

function fail(): never {
  throw new TerminalError('no such account')
}

it('a request whose death is final: its letter stays, and what it says is why', async () => {
  const harness = await operatorHarness(cloud)
  const ended: string[] = []
  const handler = consumerOn(harness, fail, {
    id: (order) => (order as { id: string }).id,
    dead: 'final',
    onFailure: (_order, _ctx, { reason, final }) => void ended.push(`${reason} ${final}`),
  })
  await send(cloud, 'book', { id: 'o-1' })
  await deliver(cloud, 'book', handler)
  expect((await harness.cli('explain', 'orders/o-1')).out).toContain(
    'if delivered now: deferred until onFailure is due',
  )
  harness.clock.advance(60_000)
  expect((await harness.cli('explain', 'orders/o-1')).out).toContain(
    'if delivered now: runs onFailure, as attempt 1',
  )
  await deliver(cloud, 'book', handler)
  expect(ended).toEqual(['terminal true'])

  const plan = await harness.cli(...REDRIVE)
  expect(plan.out).toContain('1 stay: their death is final')
  const explained = await harness.cli('explain', 'orders/o-1')
  expect(explained.out).toContain('it never runs again')
  expect(explained.out).toContain(
    'if delivered now: dropped: the request was dead-lettered, and its',
  )
  expect(explained.out).toContain('make a new request')
  for (const word of ['free', 'again']) {
    const decided = await harness.cli('decide', 'orders/o-1', word)
    expect(decided.err + decided.out).toContain('make a new request')
  }
})

it('an onFailure that was given up runs again when the letter is redriven, and nothing else does', async () => {
  const harness = await operatorHarness(cloud)
  let isDown = true
  const [ran, ended]: [string[], string[]] = [[], []]
  const handler = consumerOn(
    harness,
    () => {
      ran.push('handler')
      fail()
    },
    {
      id: (order) => (order as { id: string }).id,
      dead: 'final',
      onFailure: () => {
        if (isDown) throw new TerminalError('mail: down')
        ended.push('reported')
      },
    },
  )
  await send(cloud, 'book', { id: 'o-2' })
  await deliver(cloud, 'book', handler)
  harness.clock.advance(60_000)
  await deliver(cloud, 'book', handler)
  const explained = await harness.cli('explain', 'orders/o-2')
  expect(explained.out).toContain('onFailure has not ended: TerminalError: mail: down')
  expect(explained.out).toContain('to run its onFailure, and nothing else')

  isDown = false
  await harness.apply(...REDRIVE, '--no-ramp')
  await deliver(cloud, 'book', handler)
  expect([ran, ended]).toEqual([['handler'], ['reported']])
  expect(await harness.item('lock#orders/o-2', 'token')).toMatchObject({
    status: 'error',
    final: true,
    ttl: expect.any(Number),
  })
})
