import { expect, it } from 'vitest'
import { makeUpCallbacks } from '../../../examples/demo/callbacks.ts'
import { dueOf } from '../../../examples/demo/due.ts'
import { entriesOf, type Entry } from '../../../examples/demo/ledger.ts'
import { reconcile, type Books, type Found } from '../../../examples/demo/reconcile.ts'
import { isSound } from '../../../examples/demo/verdict.ts'

const due = dueOf([...makeUpCallbacks(3, 1), '{"no":"callback"}'])
const entries: readonly Entry[] = [...due.callbacks.values()].flatMap((callback) =>
  Object.values(entriesOf(callback)),
)
const right: Found = {
  entries,
  balances: balancesOf(entries),
  receipts: new Map([...due.callbacks.keys()].map((transactionId) => [transactionId, 1])),
  dead: due.unfitting,
}
const [debit, credit, ...others] = entries

function balancesOf(all: readonly Entry[]): Map<string, number> {
  const balances = new Map<string, number>()
  for (const { account, amount } of all) {
    balances.set(account, (balances.get(account) ?? 0) + amount)
  }
  return balances
}

function foundWith(all: readonly (Entry | undefined)[]): Found {
  const there = all.filter((entry) => entry !== undefined)
  return { ...right, entries: there, balances: balancesOf(there) }
}

function booksOf(found: Found): Books {
  const books = reconcile(due, found)
  expect(isSound(books)).toBe(false)
  return books
}

it('finds nothing wrong with what is right', () => {
  const books = reconcile(due, right)
  expect(isSound(books)).toBe(true)
  expect(books).toMatchObject({
    entries: { expected: 6, found: 6, lost: 0, doubled: 0 },
    receipts: { expected: 3, found: 3, lost: 0, doubled: 0 },
    deadLetters: { expected: 1, found: 1, lost: 0, doubled: 0 },
    balanced: true,
    accountsAgree: true,
  })
  expect(books.balance).toBe(books.expectedBalance)
})

it('finds a lost entry', () => {
  const books = booksOf(foundWith([debit, ...others]))
  expect(books).toMatchObject({ entries: { lost: 1, doubled: 0 }, balanced: false })
  expect(books.balance).toBeLessThan(books.expectedBalance)
})

it('finds an entry that was written twice, by its content and not by its id', () => {
  const twice = credit && { ...credit, entryId: 'another' }
  expect(booksOf(foundWith([...entries, twice]))).toMatchObject({
    entries: { found: 7, lost: 0, doubled: 1 },
    balanced: false,
  })
})

it('does not make up a lost transaction with one that was booked twice', () => {
  const [third, fourth] = others
  expect(booksOf(foundWith([...others, third, fourth]))).toMatchObject({
    entries: { expected: 6, found: 6, lost: 2, doubled: 2 },
    balanced: true,
  })
})

it('finds a wrong amount: one entry lost, and one without a callback', () => {
  const wrong = credit && { ...credit, amount: credit.amount + 1 }
  expect(booksOf(foundWith([debit, wrong, ...others]))).toMatchObject({
    entries: { lost: 1, doubled: 1 },
  })
})

it('finds a balance that its entries do not add up to', () => {
  const off = new Map([...right.balances, ['customer/nobody', 5]])
  expect(booksOf({ ...right, balances: off }).accountsAgree).toBe(false)
})

it('finds receipts that were lost or taken twice', () => {
  const [one = '', two = ''] = due.callbacks.keys()
  const receipts = new Map([...right.receipts, [one, 2]])
  receipts.delete(two)
  expect(booksOf({ ...right, receipts }).receipts).toEqual({
    expected: 3,
    found: 3,
    lost: 1,
    doubled: 1,
  })
})

it('finds a callback that fits in the dead-letter queue, and misses one that does not', () => {
  const [fits = ''] = makeUpCallbacks(1, 1)
  expect(booksOf({ ...right, dead: new Set([fits]) }).deadLetters).toEqual({
    expected: 1,
    found: 1,
    lost: 1,
    doubled: 1,
  })
})
