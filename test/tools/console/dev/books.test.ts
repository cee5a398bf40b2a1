import { expect, test } from 'vitest'
import { keepBooks } from '../../../../src/tools/console/dev/books.ts'
import { writtenAgain } from '../../../../src/testing/local/dev/writtenAgain.ts'
import type { BookState } from '../../../../src/testing/local/dev/bookContext.ts'
import { fakeClock } from '../../../../src/testing/index.ts'

const ENDED = {
  queue: 'orders',
  function: 'orders',
  invocation: 1,
  awsRequestId: 'a',
  type: 'ended',
  at: 1,
  outcome: 'answered',
  failures: [],
} as const

function open() {
  const clock = fakeClock()
  let reads = 0
  let found: readonly BookState[] | undefined = [{ name: 'mine', state: 'green', offending: [] }]
  const books = keepBooks({
    clock,
    again: writtenAgain(),
    isAtRest: () => true,
    names: () => ['mine'],
    own: () => {
      if (found === undefined) return undefined
      reads += 1
      return Promise.resolve(found)
    },
  })
  return {
    clock,
    books,
    reads: () => reads,
    find: (next: readonly BookState[] | undefined) => void (found = next),
  }
}

test('books are read when something has ended, and every half second at most', async () => {
  const { clock, books, reads } = open()
  await Promise.all([books.read(), books.read()])
  expect(reads()).toBe(1)
  clock.advance(10_000)
  await books.read()
  expect(reads()).toBe(1)
  books.observe(ENDED)
  await books.read()
  expect(reads()).toBe(2)
  books.observe(ENDED)
  await books.read()
  expect(reads()).toBe(2)
  clock.advance(500)
  await books.read()
  expect(reads()).toBe(3)
})

test('while the handlers cannot be asked, their books are unknown, and then read again', async () => {
  const { clock, books, find } = open()
  find(undefined)
  expect((await books.read()).books[0]).toMatchObject({ name: 'mine', state: 'unknown' })
  find([{ name: 'mine', state: 'red', offending: ['o-1'] }])
  clock.advance(500)
  expect((await books.read()).books[0]).toMatchObject({
    state: 'red',
    offending: [{ text: 'o-1' }],
    count: 1,
  })
})

test('of many that are offending, ten are shown, and all are counted', async () => {
  const { books, find } = open()
  find([
    { name: 'mine', state: 'red', offending: Array.from({ length: 250 }, (_, at) => `o-${at}`) },
  ])
  const [mine] = (await books.read()).books
  expect(mine?.offending).toHaveLength(10)
  expect(mine?.count).toBe(250)
})
