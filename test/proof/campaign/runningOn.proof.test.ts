import { expect, test } from 'vitest'
import { runCalls } from './calls.ts'

test(
  'functions that run on after their time, and are called again meanwhile',
  { timeout: 300_000 },
  async () => {
    const books = await runCalls({ requests: 60, seed: 3 })
    expect(books).toMatchObject({ completed: 60, lost: [], doubled: [], swept: 0 })
    expect(books.ranOn).toBeGreaterThan(0)
  },
)
