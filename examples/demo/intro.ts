import { VISIBILITY_TIMEOUT } from './demoCloud.ts'
import { FAULT_NAMES, MEANINGS, type FaultName } from './faults.ts'
import { count } from './numbers.ts'

/** What is going to happen, before it does. */
export function intro(bodies: number, faults: readonly FaultName[], seed: number): string {
  return `
  Lineclear · the same payments into two ledgers

  ${count(bodies)} payment callbacks go out, by SNS and straight to SQS. Each has to become
  two ledger entries, two changes of balance and one receipt: once, whatever
  happens on the way. Two Lambdas take them side by side, each with queues and
  tables of its own:

    naive       looks the transaction up, books it, marks it as booked
    Lineclear   books it in a recordHandler, each write by ctx.write

${onTheWay(faults)}
  SQS, SNS and DynamoDB run on this machine; the seed is ${seed}.

`
}

function onTheWay(faults: readonly FaultName[]): string {
  if (faults.length === 0) return '  Nothing goes wrong on the way.\n'
  const width = Math.max(...FAULT_NAMES.map(({ length }) => length)) + 3
  const lines = faults.map((name) => `    ${name.padEnd(width)}${MEANINGS[name]}\n`)
  return `  What goes wrong on the way, for both alike:\n\n${lines.join('')}
  What a killed function had comes back after ${VISIBILITY_TIMEOUT} s, and a duplicate of what
  may still be running waits as long: the last few take a while.
`
}
