import { expect, test } from 'vitest'
import { connect } from '../../../../src/tools/console/dev/protocol.ts'

interface Ours extends Record<string, (argument: never) => unknown> {
  double(number: number): number
  fail(why: string): never
}

function twoEnds() {
  const listeners: ((message: unknown) => void)[] = []
  const endAt = (own: number, other: number) => ({
    send: (message: object) => queueMicrotask(() => listeners[other]?.(structuredClone(message))),
    onMessage: (listener: (message: unknown) => void) => void (listeners[own] = listener),
  })
  const told: number[] = []
  const there: Ours = {
    double: (number) => {
      told.push(number)
      return 2 * number
    },
    fail: (why) => {
      throw new Error(why)
    },
  }
  connect(endAt(0, 1), there)
  const here = connect<Record<string, never>, Ours>(endAt(1, 0), {})
  return { here, told }
}

test('each question gets its own answer', async () => {
  const { here } = twoEnds()
  expect(await Promise.all([1, 2, 3].map((each) => here.ask('double', each)))).toEqual([2, 4, 6])
})

test('what fails there fails here, with its words', async () => {
  await expect(twoEnds().here.ask('fail', 'no')).rejects.toThrow('no')
})

test('what is told is done without an answer', async () => {
  const { here, told } = twoEnds()
  here.tell('double', 4)
  await here.ask('double', 5)
  expect(told).toEqual([4, 5])
})
