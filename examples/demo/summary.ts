import type { Result, Results } from './demo.ts'

/** The result as one JSON object. Money in cents; `lost` and `doubled` are ledger entries. */
export function summary(
  seed: number,
  unreadableLines: number,
  { naive, lineclear, late }: Results,
): string {
  return JSON.stringify({
    seed,
    unreadableLines,
    naive: figuresOf(naive),
    lineclear: figuresOf(lineclear),
    late,
  })
}

function figuresOf({ messages, calls, counts, books, audit }: Result): object {
  const { entries, receipts, deadLetters, ...balances } = books
  return {
    messages,
    calls,
    deliveries: counts.deliveries,
    duplicates: counts.duplicates,
    kills: counts.kills,
    lostAnswers: counts.lostAnswers,
    throttles: counts.throttles,
    timeouts: counts.timeouts,
    ...entries,
    ...balances,
    receipts,
    unfitting: deadLetters.expected,
    deadLettered: deadLetters.found,
    audit: { verdict: audit.verdict, right: audit.right, ...audit.counts },
  }
}
