import type { DeployedTable } from '../deployment.ts'
import { DYNAMODB_PAGES, type DeliveryRule, rule } from '../rule.ts'

const INDEX = 'byStatus'
/** The attributes that the operator's lists show without reading the items. */
const SHOWN = ['status', 'lockedBy', 'created', 'expectedCompletion', 'attempt']
const SAME_AS = 'Create it from tableDefinition() of lineclear/dynamodb.'

/** The tables that are wrong. */
const only =
  (isWrong: (table: DeployedTable) => boolean) =>
  ({ tables }: { readonly tables: readonly DeployedTable[] }): readonly DeployedTable[] =>
    tables.filter(isWrong)

export const TABLE_RULES: readonly DeliveryRule[] = [
  rule({
    id: 'table',
    severity: 'error',
    needs: ['table'],
    source: `${DYNAMODB_PAGES}/WorkingWithTables.Basics.html`,
    find: ({ tables, from, mappings }) => {
      if (tables.length > 0 || (from === 'templates' && mappings.length === 0)) return []
      return [
        { id: 'lineclear', from, severity: from === 'account' ? 'error' : 'question' },
      ] as const
    },
    problem: ({ from }) =>
      from === 'account'
        ? 'There is no table for Lineclear.'
        : 'The table of Lineclear is not here.',
    consequence: ({ from }) =>
      `${from === 'account' ? 'No' : 'If it is in no other stack, no'} record can be claimed: all stay on their queues until SQS dead-letters them.`,
    cure: ({ from }) =>
      from === 'account'
        ? SAME_AS
        : `Give the template of the table too (a second --template), or its name (--table). If there is none: ${SAME_AS}`,
  }),
  rule({
    id: 'table-keys',
    severity: 'error',
    needs: ['table'],
    source: `${DYNAMODB_PAGES}/HowItWorks.CoreComponents.html`,
    find: only(({ keys }) => !same(keys, ['pk', 'sk'])),
    problem: ({ keys }) => `Its keys are ${keys.join(' and ')}, not pk and sk.`,
    consequence: 'Every claim is refused by DynamoDB.',
    cure: SAME_AS,
  }),
  rule({
    id: 'table-ttl',
    severity: 'warning',
    needs: ['table'],
    source: `${DYNAMODB_PAGES}/TTL.html`,
    find: only(({ timeToLive }) => timeToLive !== 'ttl'),
    problem: ({ timeToLive = 'not set' }) =>
      `Its time to live attribute is ${timeToLive}, not ttl.`,
    consequence: 'Finished requests are never deleted: the table and its cost only grow.',
    cure: 'Set TimeToLiveSpecification: { AttributeName: ttl, Enabled: true }.',
  }),
  rule({
    id: 'table-recovery',
    severity: 'warning',
    needs: ['table', 'recovery'],
    source: `${DYNAMODB_PAGES}/Point-in-time-recovery.html`,
    find: only(({ recovery }) => recovery !== 'on'),
    problem: 'Point-in-time recovery is off.',
    consequence:
      'If the table is lost, so is the record of what was done: every late duplicate runs again.',
    cure: 'Set PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }.',
  }),
  rule({
    id: 'table-deletion',
    severity: 'warning',
    needs: ['table'],
    source: `${DYNAMODB_PAGES}/WorkingWithTables.Basics.html`,
    find: only(({ deletion }) => deletion !== 'protected'),
    problem: 'Deletion protection is off.',
    consequence:
      'One call can delete the record of what was done: every late duplicate would run again.',
    cure: 'Set DeletionProtectionEnabled: true.',
  }),
  rule({
    id: 'table-index',
    severity: 'error',
    needs: ['table'],
    source: `${DYNAMODB_PAGES}/GSI.html`,
    find: only(lacksIndex),
    problem: `Its index ${INDEX} is missing, or has other keys or too few attributes.`,
    consequence:
      'The sweeper finds no overdue requests: a run whose timeout was lost holds its key.',
    cure: SAME_AS,
  }),
  rule({
    id: 'table-billing',
    severity: 'warning',
    needs: ['table'],
    source: `${DYNAMODB_PAGES}/on-demand-capacity-mode.html`,
    find: only((table) => table.billing !== 'on demand'),
    problem: 'Its capacity is provisioned.',
    consequence:
      'A burst throttles claims, and an index with too little capacity throttles the table.',
    cure: 'Set BillingMode: PAY_PER_REQUEST.',
  }),
  rule({
    id: 'table-strong-regions',
    severity: 'error',
    needs: ['table'],
    source: `${DYNAMODB_PAGES}/V2globaltables_HowItWorks.html`,
    find: only(({ consistency }) => consistency === 'strong'),
    problem: ({ regions }) =>
      `It is a global table with strong consistency (${regions.join(', ')}).`,
    consequence: 'DynamoDB refuses transactions and time to live there: every fenced effect fails.',
    cure: 'Use a table of one Region.',
  }),
  rule({
    id: 'table-regions',
    severity: 'warning',
    needs: ['table'],
    source: `${DYNAMODB_PAGES}/V2globaltables_HowItWorks.html`,
    find: only(({ consistency, regions }) => consistency === 'eventual' && regions.length >= 2),
    problem: ({ regions }) => `It is a global table in ${regions.join(', ')}.`,
    consequence:
      'Conditions hold within one Region: consumers in two Regions each claim the same request, and do it twice.',
    cure: 'Run all consumers of this table in one Region; the others may stand by.',
  }),
]

function lacksIndex({ indexes }: DeployedTable): boolean {
  const found = indexes.find(({ name }) => name === INDEX)
  if (found === undefined || !same(found.keys, ['statusShard', 'dueAt'])) return true
  return found.attributes !== undefined && !SHOWN.every((name) => found.attributes?.includes(name))
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.join() === b.join()
}
