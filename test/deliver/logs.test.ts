import type { Logger } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { attributeOf } from '../../src/testing/queues/simulatedQueue.ts'
import { consumerOf } from './consumerOf.ts'

const throws = (): never => {
  throw new Error('the log is full')
}
const rejects = (): Promise<never> => Promise.reject(new Error('the log is full'))
const loggerOf = (log: () => unknown): Logger => ({ debug: log, info: log, warn: log, error: log })

describe('a logger or an observer that fails', () => {
  it.each([
    ['a logger that throws', { logger: loggerOf(throws) }],
    ['a logger that rejects', { logger: loggerOf(rejects) }],
    ['an onSettled that throws', { onSettled: throws }],
    ['an onSettled that rejects', { onSettled: rejects }],
  ])('changes nothing in the settlement: %s', async (_what, options) => {
    let runs = 0
    const { queue, send, deliver } = consumerOf((payload, ctx) => {
      runs += 1
      ctx.logger.info('mine')
      if (payload === 2) throw new Error('not yet')
    }, options)
    const messages = [send('1'), send('2')]
    await deliver(messages)
    await new Promise(setImmediate)
    expect([runs, queue.messages.map(({ resendNumber }) => resendNumber)]).toEqual([2, [1]])
  })
})

it('`succeeded` is said when the end is stored, and not before', async () => {
  const { logger, store, send, deliver } = consumerOf(() => {
    const failed = { kind: 'failed', error: new Error('no answer') } as const
    store.update = (updates) => Promise.resolve(updates.map(() => failed))
  })
  const said = (): string[] => logger.lines.map(({ message }) => message)
  await deliver(send('1')).catch(() => {})
  expect(said()).toContain('ended, but its end could not be stored: the record comes back')
  expect(said()).not.toContain('succeeded')
})

describe('a line of the log, and a dead letter', () => {
  it('has a limited length, whatever a handler throws', async () => {
    const { logger, dead, store, send, deliver } = consumerOf(
      () => Promise.reject(new Error('x'.repeat(5_000_000))),
      { retry: { maxAttempts: 1 } },
    )
    await deliver(send('{}'))
    expect(dead.messages).toHaveLength(1)
    for (const line of logger.lines) expect(JSON.stringify(line).length).toBeLessThan(10_000)
    for (const item of store.items())
      expect(JSON.stringify(Object.values(item)).length).toBeLessThan(10_000)
  })

  it('names keys that the schema declares, and no other key of the payload', async () => {
    const schema = z.object({
      seats: z.record(z.string(), z.object({ row: z.number() })),
      exact: z.strictObject({ row: z.number() }),
    })
    const { logger, dead, send, deliver } = consumerOf(() => {}, { schema })
    const mail = 'alice@example.com'
    await deliver(
      send(JSON.stringify({ seats: { [mail]: { row: 'x' } }, exact: { row: 1, [mail]: 1 } })),
    )
    const [deadLetter] = dead.messages
    const attribute =
      attributeOf(deadLetter?.message ?? { body: '', attributes: {} }, 'lineclear') ?? ''
    expect(attribute).toContain('seats.*.row')
    expect(attribute + JSON.stringify(logger.lines)).not.toContain(mail)
  })
})
