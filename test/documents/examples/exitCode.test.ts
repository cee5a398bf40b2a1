import { expect, it, vi } from 'vitest'
import { exitCodeOf } from '../../../examples/kept.ts'

it('an example fails when it finds its own books wrong', () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  expect([exitCodeOf(true), exitCodeOf(false)]).toEqual([0, 1])
  expect(said.mock.calls).toEqual([[expect.stringContaining('books of this example are wrong')]])
})
