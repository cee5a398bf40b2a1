import { expect, it } from 'vitest'
import { turns } from '../../../src/tools/console/limits.ts'

const NEVER = new AbortController().signal

/** Work that ends when it is told to. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>()
  let begun = false
  const run = async (): Promise<void> => {
    begun = true
    await promise
  }
  return { run, end: resolve, isBegun: () => begun }
}

it('runs as many as it may, and the others in the order in which they came', async () => {
  const take = turns(2)
  const works = [work(), work(), work(), work()]
  const begun = (): readonly boolean[] => works.map((each) => each.isBegun())
  const done = works.map(async ({ run }) => take(run, NEVER))
  expect(begun()).toEqual([true, true, false, false])
  works[1]?.end()
  await done[1]
  await Promise.resolve()
  expect(begun()).toEqual([true, true, true, false])
  for (const { end } of works) end()
  await Promise.all(done)
  expect(begun()).toEqual([true, true, true, true])
})

it('goes on after work that fails', async () => {
  const take = turns(1)
  const failing = take(async () => {
    throw new Error('failed')
  }, NEVER)
  await expect(failing).rejects.toThrow('failed')
  expect(await take(async () => 5, NEVER)).toBe(5)
})

it('does not begin what its caller has given up', async () => {
  const take = turns(1)
  const [first, second, third] = [work(), work(), work()]
  const running = take(first.run, NEVER)
  const gone = new AbortController()
  const waiting = take(second.run, gone.signal)
  const next = take(third.run, NEVER)
  gone.abort()
  first.end()
  third.end()
  await expect(waiting).rejects.toThrow('aborted')
  await Promise.all([running, next])
  expect([second.isBegun(), third.isBegun()]).toEqual([false, true])
})
