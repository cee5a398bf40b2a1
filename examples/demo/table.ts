import { styleText } from 'node:util'
import type { Result } from './demo.ts'
import type { BothSides } from './demoCloud.ts'
import { count, money } from './numbers.ts'

const LABEL = 32
const COLUMN = 16
const RULE = `  ${'─'.repeat(LABEL + 2 * COLUMN)}\n`

interface Row {
  readonly label: string
  readonly show: (result: Result) => string
  /** Whether the figure is as it should be; without it, it is neither good nor bad. */
  readonly isRight?: (result: Result) => boolean
}

/** The figures of both sides next to each other. Colours only where the stream takes them. */
export function table(results: BothSides<Result>, stream: NodeJS.WriteStream): string {
  const groups = [TRAFFIC, LEDGER, RECEIPTS, ...(hasDeadLetters(results) ? [DEAD_LETTERS] : [])]
  const head = `  ${' '.repeat(LABEL)}${'naive'.padStart(COLUMN)}${'Lineclear'.padStart(COLUMN)}\n`
  const blocks = groups.map((rows) => rows.map((row) => line(row, results, stream)).join(''))
  return `${[head, ...blocks].join(RULE)}${RULE}`
}

function line(
  row: Row,
  { naive, lineclear }: BothSides<Result>,
  stream: NodeJS.WriteStream,
): string {
  const cells = [naive, lineclear].map((result) => {
    const text = row.show(result).padStart(COLUMN)
    if (row.isRight === undefined) return text
    return styleText(row.isRight(result) ? 'green' : 'red', text, { stream })
  })
  return `  ${row.label.padEnd(LABEL)}${cells.join('')}\n`
}

const TRAFFIC: readonly Row[] = [
  { label: 'callbacks', show: ({ messages }) => count(messages) },
  { label: 'calls, some of them made twice', show: ({ calls }) => count(calls) },
  { label: 'deliveries, with the receipts', show: ({ counts }) => count(counts.deliveries) },
  { label: '  duplicates of SQS among them', show: ({ counts }) => count(counts.duplicates) },
  { label: 'functions killed', show: ({ counts }) => count(counts.kills) },
  { label: 'answers lost', show: ({ counts }) => count(counts.lostAnswers) },
  { label: 'requests throttled', show: ({ counts }) => count(counts.throttles) },
]

const LEDGER: readonly Row[] = [
  { label: 'ledger entries expected', show: ({ books }) => count(books.entries.expected) },
  {
    label: 'ledger entries found',
    show: ({ books }) => count(books.entries.found),
    isRight: ({ books: { entries } }) => entries.found === entries.expected,
  },
  {
    label: '  lost',
    show: ({ books }) => count(books.entries.lost),
    isRight: ({ books }) => books.entries.lost === 0,
  },
  {
    label: '  doubled',
    show: ({ books }) => count(books.entries.doubled),
    isRight: ({ books }) => books.entries.doubled === 0,
  },
  { label: "customers' balance, expected", show: ({ books }) => money(books.expectedBalance) },
  {
    label: "customers' balance, found",
    show: ({ books }) => money(books.balance),
    isRight: ({ books }) => books.balance === books.expectedBalance,
  },
  {
    label: 'debits and credits cancel out',
    show: ({ books }) => yesOrNo(books.balanced),
    isRight: ({ books }) => books.balanced,
  },
  {
    label: 'accounts agree with the entries',
    show: ({ books }) => yesOrNo(books.accountsAgree),
    isRight: ({ books }) => books.accountsAgree,
  },
]

const RECEIPTS: readonly Row[] = [
  { label: 'receipts expected', show: ({ books }) => count(books.receipts.expected) },
  {
    label: 'receipts taken',
    show: ({ books }) => count(books.receipts.found),
    isRight: ({ books: { receipts } }) => receipts.found === receipts.expected,
  },
  {
    label: '  lost',
    show: ({ books }) => count(books.receipts.lost),
    isRight: ({ books }) => books.receipts.lost === 0,
  },
  {
    label: '  doubled',
    show: ({ books }) => count(books.receipts.doubled),
    isRight: ({ books }) => books.receipts.doubled === 0,
  },
]

const DEAD_LETTERS: readonly Row[] = [
  { label: 'callbacks that do not fit', show: ({ books }) => count(books.deadLetters.expected) },
  {
    label: 'callbacks dead-lettered',
    show: ({ books }) => count(books.deadLetters.found),
    isRight: ({ books: { deadLetters } }) => deadLetters.lost + deadLetters.doubled === 0,
  },
]

function hasDeadLetters(results: BothSides<Result>): boolean {
  return [results.naive, results.lineclear].some(
    ({ books: { deadLetters } }) => deadLetters.expected + deadLetters.found > 0,
  )
}

function yesOrNo(answer: boolean): string {
  return answer ? 'yes' : 'no'
}
