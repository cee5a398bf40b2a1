import type { Callback } from './callbacks.ts'
import { entriesOf, PROCESSOR, type Entry } from './ledger.ts'

/** What one side has booked, read from its tables and its dead-letter queue. */
export interface Found {
  readonly entries: readonly Entry[]
  /** Cents by account. */
  readonly balances: ReadonlyMap<string, number>
  /** How often each transaction's receipt was taken. */
  readonly receipts: ReadonlyMap<string, number>
  /** The distinct bodies in the dead-letter queue. */
  readonly dead: ReadonlySet<string>
}

/** The expected books. */
export interface Due {
  readonly callbacks: ReadonlyMap<string, Callback>
  /** Bodies that no callback fits: they belong in the dead-letter queue. */
  readonly unfitting: ReadonlySet<string>
}

export interface Tally {
  readonly expected: number
  readonly found: number
  readonly lost: number
  readonly doubled: number
}

export interface Books {
  readonly entries: Tally
  readonly receipts: Tally
  readonly deadLetters: Tally
  /** What the customers own by the entries, cents. */
  readonly balance: number
  readonly expectedBalance: number
  /** Debits and credits cancel out. */
  readonly balanced: boolean
  /** The balances of the accounts are the sums of their entries. */
  readonly accountsAgree: boolean
}

export function reconcile(due: Due, found: Found): Books {
  const callbacks = [...due.callbacks.values()]
  const dues = callbacks.flatMap((callback) => Object.values(entriesOf(callback)))
  const sums = sumByAccount(found.entries)
  return {
    entries: tally(countEach(dues.map(nameOf)), countEach(found.entries.map(nameOf))),
    receipts: tally(countEach([...due.callbacks.keys()]), found.receipts),
    deadLetters: tally(countEach([...due.unfitting]), countEach([...found.dead])),
    balance: customersOwn(sums),
    expectedBalance: customersOwn(sumByAccount(dues)),
    balanced: [...sums.values()].reduce((sum, amount) => sum + amount, 0) === 0,
    accountsAgree: agree(sums, found.balances),
  }
}

/** Two entries are the same booking when all is the same but their ids. */
function nameOf({ transactionId, account, amount }: Entry): string {
  return JSON.stringify([transactionId, account, amount])
}

type Counts = ReadonlyMap<string, number>

function countEach(names: readonly string[]): Counts {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** Compared one by one: an extra entry of one transaction does not make up for a missing one of another. */
function tally(expected: Counts, found: Counts): Tally {
  const names = [...new Set([...expected.keys(), ...found.keys()])]
  const surplus = names.map((name) => (found.get(name) ?? 0) - (expected.get(name) ?? 0))
  return {
    expected: sum(expected.values()),
    found: sum(found.values()),
    lost: sum(surplus.map((count) => Math.max(-count, 0))),
    doubled: sum(surplus.map((count) => Math.max(count, 0))),
  }
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}

function sumByAccount(entries: readonly Entry[]): Counts {
  const sums = new Map<string, number>()
  for (const { account, amount } of entries) sums.set(account, (sums.get(account) ?? 0) + amount)
  return sums
}

function customersOwn(sums: Counts): number {
  return sum(sums.values()) - (sums.get(PROCESSOR) ?? 0)
}

function agree(sums: Counts, balances: Counts): boolean {
  const accounts = [...new Set([...sums.keys(), ...balances.keys()])]
  return accounts.every((account) => (sums.get(account) ?? 0) === (balances.get(account) ?? 0))
}
