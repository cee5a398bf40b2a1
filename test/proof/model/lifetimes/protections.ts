import type { SQSRecord } from 'aws-lambda'
import { parseObject } from '../../../../src/library/protocol/record/envelope/json.ts'
import type { Update } from '../../../../src/library/protocol/store/store.ts'
import { RETENTION } from '../days.ts'
import type { Model, Removal } from '../model.ts'
import { changing, those } from '../removals.ts'
import { ID, type Scenario } from '../scenario.ts'
import type { LifetimeScenarioName } from './scenarios.ts'

export interface LifetimeProtection {
  readonly name: string
  readonly scenario: LifetimeScenarioName
  readonly removal?: Removal
  readonly change?: (scenario: Scenario) => Partial<Scenario>
}

/** It expires the retention after its burial, as an ended request does. */
function expiring(update: Update): Update {
  const { set = {} } = update
  const { actualCompletion } = set
  const endedAt = typeof actualCompletion === 'string' ? Date.parse(actualCompletion) : 0
  return { ...update, set: { ...set, ttl: (endedAt + RETENTION) / 1_000 } }
}

/** A message whose record is gone passes for one that was never attempted. */
function asNew(record: SQSRecord, { table }: Model): SQSRecord {
  const { lineclear } = record.messageAttributes
  if (lineclear === undefined || table.tokens.has(`lock#orders/${ID}`)) return record
  const {
    death: _death,
    retry: _retry,
    ...carried
  } = parseObject(lineclear.stringValue ?? '') ?? {}
  const marked = {
    ...lineclear,
    stringValue: JSON.stringify({ format: 1, ...carried, resendNumber: 0 }),
  }
  return { ...record, messageAttributes: { ...record.messageAttributes, lineclear: marked } }
}

export const lifetimeProtections: readonly LifetimeProtection[] = [
  {
    name: 'what waits for an operator does not expire',
    scenario: 'parked',
    removal: { store: changing(those('buries'), expiring) },
  },
  {
    name: 'a record that begins anew leaves the end of its last life behind',
    scenario: 'usedAgain',
    removal: {
      store: changing(those('begins anew'), ({ remove = [], ...update }) => ({
        ...update,
        remove: remove.filter((name) => name !== 'ttl'),
      })),
    },
  },
  {
    name: 'a copy or a dead letter whose record is gone is a lost record, and no first time',
    scenario: 'lost',
    removal: { receive: asNew },
  },
  {
    name: 'a message that is older than the retention is too old',
    scenario: 'retried',
    change: ({ consumer }) => ({ consumer: () => ({ ...consumer(), maxAge: Infinity }) }),
  },
]
