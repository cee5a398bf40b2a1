import type { Deployment, DeployedTable } from '../deployment.ts'
import { DYNAMODB_PAGES, type Violation, type DeliveryRule } from '../rule.ts'

const INDEX = 'byStatus'
/** The attributes that the operator's lists show without reading the items. */
const SHOWN = ['status', 'lockedBy', 'created', 'expectedCompletion', 'attempt']
const SAME_AS = 'Create it from tableDefinition() of lineclear/dynamodb.'

const exists = rule('table', 'error', 'WorkingWithTables.Basics.html', (deployment) => {
  const { table, from, mappings } = deployment
  if (table !== undefined || (from === 'templates' && mappings.length === 0)) return undefined
  const consequence =
    'No record can be claimed: all stay on their queues until SQS dead-letters them.'
  const subject = 'lineclear'
  if (from === 'account') {
    return { subject, problem: 'There is no table for Lineclear.', consequence, cure: SAME_AS }
  }
  return {
    subject,
    severity: 'question',
    problem: 'The table of Lineclear is not here.',
    consequence: `If it is in no other stack, ${consequence.replace('No', 'no')}`,
    cure: `Give the template of the table too (a second --template), or its name (--table). If there is none: ${SAME_AS}`,
  }
})

const keys = ofTable('table-keys', 'error', 'HowItWorks.CoreComponents.html', (table) =>
  same(table.keys, ['pk', 'sk'])
    ? undefined
    : {
        problem: `Its keys are ${table.keys.join(' and ')}, not pk and sk.`,
        consequence: 'Every claim is refused by DynamoDB.',
        cure: SAME_AS,
      },
)

const ttl = ofTable('table-ttl', 'warning', 'TTL.html', ({ timeToLive }) =>
  timeToLive === 'ttl'
    ? undefined
    : {
        problem: `Its time to live attribute is ${timeToLive ?? 'not set'}, not ttl.`,
        consequence: 'Finished requests are never deleted: the table and its cost only grow.',
        cure: 'Set TimeToLiveSpecification: { AttributeName: ttl, Enabled: true }.',
      },
)

const recovery = ofTable('table-recovery', 'warning', 'Point-in-time-recovery.html', (table) =>
  table.recovery === 'on'
    ? undefined
    : {
        problem: 'Point-in-time recovery is off.',
        consequence:
          'If the table is lost, so is the record of what was done: every late duplicate runs again.',
        cure: 'Set PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }.',
      },
)

const deletion = ofTable('table-deletion', 'warning', 'WorkingWithTables.Basics.html', (table) =>
  table.deletion === 'protected'
    ? undefined
    : {
        problem: 'Deletion protection is off.',
        consequence:
          'One call can delete the record of what was done: every late duplicate would run again.',
        cure: 'Set DeletionProtectionEnabled: true.',
      },
)

const index = ofTable('table-index', 'error', 'GSI.html', ({ indexes }) => {
  const found = indexes.find(({ name }) => name === INDEX)
  const right =
    found !== undefined &&
    same(found.keys, ['statusShard', 'dueAt']) &&
    (found.projection === 'ALL' || SHOWN.every((name) => found.attributes.includes(name)))
  return right
    ? undefined
    : {
        problem: `Its index ${INDEX} is missing, or has other keys or too few attributes.`,
        consequence:
          'The sweeper finds no overdue requests: a run whose timeout was lost holds its key.',
        cure: SAME_AS,
      }
})

const hotIndex = ofTable('table-hot-index', 'error', 'gsi-throttling.html', ({ indexes }) => {
  const hot = indexes.find(({ keys: [hash] }) => hash === 'status')
  return hot === undefined
    ? undefined
    : {
        problem: `Its index ${hot.name} is keyed by status alone.`,
        consequence: 'All open requests share one partition of it: it throttles the table itself.',
        cure: 'Key it by statusShard, which spreads each status over partitions.',
      }
})

const billing = ofTable('table-billing', 'warning', 'on-demand-capacity-mode.html', (table) =>
  table.billing === 'on demand'
    ? undefined
    : {
        problem: 'Its capacity is provisioned.',
        consequence:
          'A burst throttles claims, and an index with too little capacity throttles the table.',
        cure: 'Set BillingMode: PAY_PER_REQUEST.',
      },
)

const strongRegions = ofTable(
  'table-strong-regions',
  'error',
  'V2globaltables_HowItWorks.html',
  ({ consistency, regions }) =>
    consistency === 'eventual'
      ? undefined
      : {
          problem: `It is a global table with strong consistency (${regions.join(', ')}).`,
          consequence:
            'DynamoDB refuses transactions and time to live there: every fenced effect fails.',
          cure: 'Use a table of one Region.',
        },
)

const severalRegions = ofTable(
  'table-regions',
  'warning',
  'V2globaltables_HowItWorks.html',
  ({ consistency, regions }) =>
    consistency === 'strong' || regions.length < 2
      ? undefined
      : {
          problem: `It is a global table in ${regions.join(', ')}.`,
          consequence:
            'Conditions hold within one Region: consumers in two Regions each claim the same request, and do it twice.',
          cure: 'Run all consumers of this table in one Region; the others may stand by.',
        },
)

function ofTable(
  id: string,
  severity: DeliveryRule['severity'],
  page: string,
  look: (table: DeployedTable) => Omit<Violation, 'subject'> | undefined,
): DeliveryRule {
  return rule(id, severity, page, ({ table }) => {
    const problem = table && look(table)
    if (table === undefined || problem === undefined) return undefined
    return { subject: table.id, ...problem }
  })
}

function rule(
  id: string,
  severity: DeliveryRule['severity'],
  page: string,
  look: (deployment: Deployment) => Violation | undefined,
): DeliveryRule {
  const check: DeliveryRule['check'] = (deployment) => {
    const problem = look(deployment)
    return problem === undefined ? [] : [problem]
  }
  return { id, severity, needs: ['table'], source: `${DYNAMODB_PAGES}/${page}`, check }
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.join() === b.join()
}

export const TABLE_RULES: readonly DeliveryRule[] = [
  exists,
  keys,
  ttl,
  { ...recovery, needs: ['table', 'recovery'] },
  deletion,
  index,
  hotIndex,
  billing,
  strongRegions,
  severalRegions,
]
