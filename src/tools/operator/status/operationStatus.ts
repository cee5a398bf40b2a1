import type { Store } from '../../../store/store.ts'
import type { TableReader } from '../../../store/dynamodb/dynamoDbReader.ts'
import { listAudit, isOfMany } from '../audit/listAudit.ts'
import { loadOperation, type Operation } from '../dlq/operation.ts'
import { nextStep, type StatusFinding } from './finding.ts'

/** Older ones are in the audit. */
const LOOK_BACK = 24 * 60 * 60_000

/**
 * Changes of many items that run, or that have ended before they were done: a second one beside them would change the same items.
 * @throws StoreUnavailableError
 */
export async function operationStatus(
  reader: Pick<TableReader, 'partition'>,
  store: Store,
  now: number,
): Promise<readonly StatusFinding[]> {
  const names = new Set<string>()
  for await (const entry of listAudit(reader, { since: now - LOOK_BACK, now })) {
    if (isOfMany(entry)) names.add(entry.plan)
  }
  const operations = await Promise.all([...names].map(async (name) => loadOperation(store, name)))
  return operations.flatMap((operation) => (operation === undefined ? [] : ofOne(operation, now)))
}

function ofOne(operation: Operation, now: number): readonly StatusFinding[] {
  const { name, state, action, planned, done, by, because, at } = operation
  if (state === 'done' || state === 'planned') return []
  const isKilled = state === 'running' && operation.leaseUntil <= now
  const word = isKilled ? 'its command was killed' : state
  const why = because === undefined ? '' : `: ${because}`
  return [
    {
      severity: state === 'running' && !isKilled ? 'note' : 'warn',
      kind: 'operation',
      of: `${action} ${name}`,
      // What it has not dealt with is counted where it waits.
      number: 1,
      atLeast: false,
      since: Date.parse(at),
      what: `${word}, ${done} of ${planned} done, by ${by}${why}`,
      ...nextStep({ action: 'dlq.plan', positionals: { plan: name } }),
    },
  ]
}
