import { expect, it, vi } from 'vitest'
import { run } from '../../examples/schedule/run.ts'

it('schedule: each night is settled and told once, of four deliveries', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  expect(await run(5, () => {})).toEqual({
    deliveries: 20,
    nights: 5,
    cents: 500,
    entries: 5,
    booked: 500,
  })
}, 60_000)
