import { circuitBreaker } from 'lineclear'
import { fakeClock, memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { circuitKey } from '../../../src/library/features/circuitBreaker/circuit.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'

it('a circuit that a newer version has written is neither open nor closed: it stays as last known, and a line says so', async () => {
  const [store, clock, logger] = [memoryStore(), fakeClock(), quietLogger()]
  const open = () =>
    circuitBreaker({ after: 1, when: () => true }).openFor({ name: 'pay', store, clock, logger })
  const [first, other] = [open(), open()]
  await first.failed(new Error('down'))
  expect(await other.admit(1)).toMatchObject({ admitted: 0 })
  await store.update([{ key: circuitKey('pay'), where: [], set: { format: 2 } }])
  clock.advance(5_000)
  expect(await other.admit(1)).toMatchObject({ admitted: 0 })
  expect(logger.lines).toMatchObject([
    {},
    {
      level: 'warn',
      message: 'the circuit is as this process last knew it',
      consumer: 'pay',
      error: expect.stringContaining('has format 2'),
    },
  ])
})
