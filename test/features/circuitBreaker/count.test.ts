import { circuitBreaker } from 'lineclear'
import { fakeClock, memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { quietLogger } from '../../deliver/quietLogger.ts'

it('a handler that completes begins the count of failures anew', async () => {
  const [store, clock, logger] = [memoryStore(), fakeClock(), quietLogger()]
  const gate = circuitBreaker({ after: 2, when: () => true }).openFor({
    name: 'pay',
    store,
    clock,
    logger,
  })
  const down = new Error('down')
  await gate.failed(down)
  await gate.succeeded(undefined)
  await gate.failed(down)
  expect(gate.heldUntil()).toBeUndefined()
  await gate.failed(down)
  expect(gate.heldUntil()).toBeGreaterThan(clock.now())
})
