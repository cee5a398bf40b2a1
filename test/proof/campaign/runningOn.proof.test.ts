import { expect, test } from 'vitest'
import {
  newInvocation,
  runInside,
  terminate,
} from '../../../src/testing/local/faults/invocation.ts'
import { lambdaContext } from '../../../src/testing/local/mapping/openInvocation.ts'
import { runCalls } from './calls.ts'
import { openOvertime } from './overtime.ts'

test(
  'functions that run on after their time, and are called again meanwhile',
  { timeout: 300_000 },
  async () => {
    const books = await runCalls({ requests: 60, seed: 3 })
    expect(books).toMatchObject({ completed: 60, lost: [], doubled: [], swept: 0 })
    expect(books.ranOn).toBeGreaterThan(0)
  },
)

test(
  'a killed process runs nothing on: nobody waits for the calls that it began',
  { timeout: 10_000 },
  async () => {
    const overtime = openOvertime(1, 5)
    const killed = newInvocation(1, {}, () => {})
    const context = lambdaContext({ name: 'orders', arn: 'arn' }, Date.now() + 5_000)
    const handler = overtime.ends(() => new Promise(() => {}))
    runInside(killed, () => handler({ Records: [] }, context)).catch(() => {})
    terminate(killed, 'killed')
    expect(await overtime.over()).toBe(0)
  },
)
