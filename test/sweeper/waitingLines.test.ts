import { recordHandler, sweepHandler, TerminalError } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { collectWaiting } from '../../src/library/entries/sweeper/waitingLines.ts'
import { quietLogger } from '../deliver/quietLogger.ts'

const MANY = 40

it('a run of the sweeper writes a line for each group that waits, whatever its size', async () => {
  const deadLetter = { queue: 'dead', maxReceiveCount: 10 }
  const cloud = memoryCloud({ queues: { orders: { deadLetter }, mails: { deadLetter }, dead: {} } })
  const { store, clients, clock } = cloud
  const handlerOf = (name: string) =>
    recordHandler({ name, store, clients, clock, logger: quietLogger() }, () => {
      throw new TerminalError('never')
    })
  for (let n = 0; n < MANY; n++) for (const queue of ['orders', 'mails']) cloud.send(queue, { n })
  await cloud.drain({ orders: handlerOf('orders'), mails: handlerOf('mails') })
  clock.advance(3_600_000)
  const logger = quietLogger()
  const report = await sweepHandler({ store, clock, logger, clients })()
  expect(report.waiting).toBe(2 * MANY)
  const waits = logger.lines.filter(({ message }) => message === 'waits for an operator')
  expect(waits).toHaveLength(2)
  for (const pk of [/^lock#mails\//, /^lock#orders\//]) {
    const line = { pk: expect.stringMatching(pk), items: MANY }
    expect(waits).toContainEqual(expect.objectContaining(line))
  }
})

it('keys of callers are of one group, and another reason is of another', () => {
  const logger = quietLogger()
  const waiting = collectWaiting(logger)
  for (let n = 0; n < 9; n++) {
    const reason = n === 0 ? 'terminal' : 'exhausted'
    waiting.see('warn', 'overdue', { pk: `key#refunds@caller${n}/k`, sk: 'token', reason })
  }
  waiting.see('info', 'overdue', { pk: 'lock#orders/r1', sk: 'token', status: 'error' })
  waiting.log()
  expect(logger.lines.map(({ level, pk, items }) => [level, pk, items])).toEqual([
    ['warn', 'key#refunds@caller0/k', undefined],
    ['warn', 'key#refunds@caller1/k', 8],
    ['info', 'lock#orders/r1', undefined],
  ])
  waiting.log()
  expect(logger.lines).toHaveLength(3)
})
