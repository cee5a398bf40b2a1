import { expect, it, vi } from 'vitest'

it('schedule: each night is settled and told once, of four deliveries', async () => {
  // It has the ledger of another example, whose test may have loaded it for a cloud that is gone.
  vi.resetModules()
  const { run } = await import('../../../examples/schedule/run.ts')
  vi.spyOn(console, 'log').mockImplementation(() => {})
  expect(await run(5, () => {})).toEqual({
    deliveries: 20,
    nights: 5,
    cents: 500,
    entries: 5,
    booked: 500,
  })
})
