import { expect, it } from 'vitest'
import type { LocalEvent } from '../../../../../src/testing/local/observe/event.ts'
import { newNumbering } from '../../../../../src/tools/console/app/stream/frames.ts'

const event: LocalEvent = { type: 'log', at: 0, level: 'INFO', message: '', fields: {} }

it('takes each event once, also when the server repeats what it has kept', () => {
  const numbering = newNumbering()
  const taken = [1, 2, 3, 1, 2, 3, 4].filter((n) => numbering.take({ n, event }) !== undefined)
  expect(taken).toEqual([1, 2, 3, 4])
  expect(numbering).toMatchObject({ skipped: 0, last: 4 })
})

it('counts what was lost between two connections', () => {
  const numbering = newNumbering()
  numbering.take({ n: 3, event })
  numbering.take({ n: 10, event })
  expect(numbering.skipped).toBe(6)
})

it('misses nothing of the time before it began', () => {
  const numbering = newNumbering()
  numbering.take({ n: 500, event })
  expect(numbering.skipped).toBe(0)
})

it('goes on after an event that could not be sent', () => {
  const numbering = newNumbering()
  numbering.take({ n: 1, event })
  expect(numbering.take({ n: 2, event: null })).toBeUndefined()
  expect(numbering.take({ n: 3, event })).toBe(event)
  expect(numbering.skipped).toBe(0)
})
