import type { Arguments } from './arguments.ts'
import type { Result } from './demo.ts'
import type { BothSides } from './demoCloud.ts'
import { FAULT_NAMES } from './faults.ts'
import { count, money } from './numbers.ts'
import type { Books } from './reconcile.ts'

/** Nothing lost, nothing doubled, and all figures agree. */
export function isSound({ entries, receipts, deadLetters, ...books }: Books): boolean {
  const wrong = [entries, receipts, deadLetters].some(({ lost, doubled }) => lost + doubled > 0)
  return !wrong && books.balanced && books.accountsAgree
}

/** The outcome, in a sentence for each side. */
export function verdict({ naive, lineclear }: BothSides<Result>): string {
  const ours = isSound(lineclear.books)
    ? `Lineclear took each of the ${count(lineclear.messages)} callbacks exactly once.`
    : `Lineclear ${said(damageOf(lineclear.books))}. That is a bug of Lineclear: please report it with the seed.`
  const theirs = isSound(naive.books)
    ? 'The naive handler got it right this time, too.'
    : `The naive handler ${said(damageOf(naive.books).slice(0, MOST_FINDINGS))}.`
  return `  ${ours}\n  ${theirs}\n`
}

/** The faults of the naive side, in the order of the table, short enough for one line. */
const MOST_FINDINGS = 2

function said(findings: readonly string[]): string {
  return new Intl.ListFormat('en').format(findings)
}

function damageOf(books: Books): readonly string[] {
  const { entries, receipts, deadLetters, balance, expectedBalance } = books
  const surplus = balance - expectedBalance
  const findings = [
    [entries.doubled, `doubled ${count(entries.doubled)} ledger entries`],
    [entries.lost, `lost ${count(entries.lost)} ledger entries`],
    [
      surplus,
      `owes its customers ${money(Math.abs(surplus))} too ${surplus > 0 ? 'much' : 'little'}`,
    ],
    [receipts.doubled, `sent ${count(receipts.doubled)} receipts twice`],
    [receipts.lost, `lost ${count(receipts.lost)} receipts`],
    [deadLetters.lost, `lost ${count(deadLetters.lost)} callbacks that did not fit`],
    [deadLetters.doubled, `dead-lettered ${count(deadLetters.doubled)} callbacks that fit`],
    [Number(!books.accountsAgree), 'has balances that its entries do not add up to'],
  ] as const
  return findings.filter(([wrong]) => wrong !== 0).map(([, text]) => text)
}

/** The command that sends the same callbacks with the same random faults. */
export function repeat({ seed, messages, faults, input }: Arguments): string {
  const names = faults.length === FAULT_NAMES.length ? 'all' : faults.join(',') || 'none'
  const source = input === undefined ? `--messages ${messages}` : `--input ${input}`
  return `  Repeat it: npm run demo -- --seed ${seed} ${source} --faults ${names}\n`
}
