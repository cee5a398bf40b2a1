import { expect, test } from 'vitest'
import {
  newInvocation,
  runInside,
  terminate,
} from '../../../src/testing/local/faults/invocation.ts'
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
  'a killed process runs nothing on: nobody waits for the pauses that it began',
  { timeout: 10_000 },
  async () => {
    const overtime = openOvertime(1, 60)
    const killed = newInvocation(1, {}, () => {})
    // Some of them are longer than this test.
    for (let nth = 1; nth <= 200; nth++) void runInside(killed, () => overtime.pause())
    terminate(killed, 'killed')
    await expect(overtime.over()).resolves.toBeUndefined()
  },
)
