import { describe, expect, it } from 'vitest'
import { flatStacks } from '../../../src/tools/doctor/input/readFiles.ts'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { deploymentOf } from '../../../src/tools/doctor/template/deploymentOf.ts'
import { fromTemplate, fromTerraform } from './from.ts'
import { planOf } from './terraform/planOf.ts'

// Old consumers beside new ones: Lineclear's own rules are for its own.

const arn = (id: string): object => ({ 'Fn::GetAtt': [id, 'Arn'] })
const Table = {
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      { IndexName: 'byStatus', KeySchema: [{ AttributeName: 'statusShard', KeyType: 'HASH' }] },
    ],
  },
}
const role = (...Statement: object[]) => ({
  Type: 'AWS::IAM::Role',
  Properties: { Policies: [{ PolicyDocument: { Statement } }] },
})
const allow = (Resource: object, ...Action: string[]) => ({ Effect: 'Allow', Action, Resource })
const RECEIVES = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes']
const POLLS = allow(arn('Jobs'), ...RECEIVES)
const ON_TABLE = ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem'].map(
  (each) => `dynamodb:${each}`,
)

/** One consumer, as far as these rules look. */
const consumer = (properties: object = {}, Role: object = role(POLLS), mapping: object = {}) => ({
  Table,
  Jobs: { Type: 'AWS::SQS::Queue', Properties: {} },
  Worker: {
    Type: 'AWS::Lambda::Function',
    Properties: { Runtime: 'nodejs20.x', Role: arn('Role'), ...properties },
  },
  Role,
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { FunctionName: { Ref: 'Worker' }, EventSourceArn: arn('Jobs'), ...mapping },
  },
})
const variables = (Variables: unknown) => ({ Environment: { Variables } })
const NAMED = variables({ LINECLEAR_TABLE: { Ref: 'Table' } })

const OF_LINECLEAR = [
  'event-filter',
  'partial-failures',
  'permissions-called',
  'permissions-missing',
  'permissions-wide',
  'recursion',
  'role-per-function',
  'runtime',
  'unmarked',
]
const found = (...given: Parameters<typeof diagnose>): string[] =>
  diagnose(...given)
    .filter(({ rule }) => OF_LINECLEAR.includes(rule))
    .map(({ rule, severity, subject }) => `${severity} ${rule} ${subject}`)
const inTemplate = (Resources: object): string[] => found(fromTemplate({ Resources }))

const JUDGED = [
  'error partial-failures Mapping',
  'error runtime Worker',
  'error permissions-missing Role',
]

describe('a consumer of a queue', () => {
  it.each<[string, object]>([
    ['LINECLEAR_TABLE', NAMED],
    [
      'LINECLEAR_TABLE with a value that is not known yet',
      variables({ LINECLEAR_TABLE: { Ref: 'X' } }),
    ],
    ['another variable that names the table', variables({ TABLE: { Ref: 'Table' } })],
    ['a tag', { Tags: [{ Key: 'lineclear:consumer', Value: 'jobs' }] }],
  ])('is one of Lineclear by %s', (_, properties) => {
    expect(inTemplate(consumer(properties))).toEqual(JUDGED)
  })

  it('is one of Lineclear by the tag of its mapping, and by a role that names the table', () => {
    const Tags = [{ Key: 'lineclear:table', Value: { Ref: 'Table' } }]
    expect(inTemplate(consumer({}, role(POLLS), { Tags }))).toEqual(JUDGED)
    const reads = role(POLLS, allow(arn('Table'), 'dynamodb:GetItem'))
    expect(inTemplate(consumer({}, reads))).toEqual(JUDGED)
  })

  it.each<[string, object]>([
    ['nothing', {}],
    [
      'variables and tags of its own',
      { ...variables({ A: 'b' }), Tags: [{ Key: 'a', Value: 'b' }] },
    ],
  ])('with %s is none: only a note says so', (_, properties) => {
    const scans = role(POLLS, allow({ Ref: 'Orders' }, 'dynamodb:Scan', 'dynamodb:*'))
    const filter = { FilterCriteria: { Filters: [{ Pattern: '{"messageId":["a"]}' }] } }
    const old = consumer({ ...properties, RecursiveLoop: 'Allow' }, scans, filter)
    expect(inTemplate(old)).toEqual(['note unmarked Worker'])
  })

  it.each<[string, object]>([
    ['variables', { Environment: { 'Fn::Transform': {} } }],
    ['one variable', variables({ 'Fn::Transform': {} })],
    ['variables of a parameter', variables({ Ref: 'Variables' })],
    ['tags', { Tags: { Ref: 'Tags' } }],
  ])('with %s that only the deployment knows is not judged: a note says why', (_, properties) => {
    expect(inTemplate(consumer(properties))).toEqual([
      'question partial-failures Mapping',
      'note unmarked Worker',
    ])
  })

  it('does not become one of Lineclear by a role that it shares with one', () => {
    const { Worker, Mapping, ...rest } = consumer(
      NAMED,
      role(POLLS, allow(arn('Table'), ...ON_TABLE)),
    )
    const Old = { ...Worker, Properties: { Runtime: 'nodejs20.x', Role: arn('Role') } }
    const OldMapping = structuredClone(Mapping)
    OldMapping.Properties.FunctionName = { Ref: 'Old' }
    expect(inTemplate({ ...rest, Worker, Mapping, Old, OldMapping })).toContain('note unmarked Old')
    expect(inTemplate({ ...rest, Old, OldMapping })).not.toContain('note unmarked Old')
  })

  it('says how it is marked', () => {
    const [note] = diagnose(fromTemplate({ Resources: consumer() })).filter(
      ({ rule }) => rule === 'unmarked',
    )
    expect(note?.cure).toContain('set LINECLEAR_TABLE to the name of its table')
  })
})

const TERRAFORM = (environment: string, tags = '') => `
resource "aws_sqs_queue" "jobs" { name = "jobs" }
resource "aws_dynamodb_table" "lineclear" {
  name      = "lineclear"
  hash_key  = "pk"
  range_key = "sk"
}
resource "aws_dynamodb_table" "orders" { name = "orders" }
resource "aws_lambda_function" "worker" {
  function_name = "worker"
  runtime       = "nodejs20.x"
  ${environment === '' ? '' : `environment {\n    variables = ${environment}\n  }`}
  ${tags}
}
resource "aws_lambda_event_source_mapping" "jobs" {
  event_source_arn = aws_sqs_queue.jobs.arn
  function_name    = aws_lambda_function.worker.arn
}`

it.each([
  ['{ LINECLEAR_TABLE = "lineclear" }', '', 'error runtime'],
  ['{ LINECLEAR_TABLE = aws_dynamodb_table.lineclear.name }', '', 'error runtime'],
  ['', 'tags = { "lineclear:consumer" = "jobs" }', 'error runtime'],
  ['{ LEVEL = "info" }', '', 'note unmarked'],
  ['{ TABLE = aws_dynamodb_table.orders.name }', '', 'note unmarked'],
  ['', '', 'note unmarked'],
])('in a plan, a function with the variables %s and %s: %s', (environment, tags, expected) => {
  const plan = fromTerraform(planOf({ '.': TERRAFORM(environment, tags) }))
  const rules = diagnose(plan).map(({ rule, severity }) => `${severity} ${rule}`)
  expect(rules.filter((each) => / (runtime|unmarked)$/.test(each))).toEqual([expected])
})

describe('two environments in one cdk.out', () => {
  const own = (properties: object) =>
    consumer(
      properties,
      role(allow(arn('Jobs'), ...RECEIVES, 'sqs:*'), allow(arn('Table'), ...ON_TABLE)),
    )
  const both = (dev: object, prod: object) =>
    deploymentOf([
      flatStacks([
        { name: 'OrdersDev', value: { Resources: dev } },
        { name: 'OrdersProd', value: { Resources: prod } },
      ]),
    ])
  const missing = (...given: Parameters<typeof both>): string[] =>
    diagnose(both(...given))
      .filter(({ rule }) => rule === 'permissions-missing')
      .map(({ problem }) => problem)

  it('each have a table, and both are judged', () => {
    const { tables } = both(own(NAMED), own(NAMED))
    expect(tables.map(({ id }) => id)).toEqual(['OrdersDev.Table', 'OrdersProd.Table'])
  })

  it.each<[string, object]>([
    ['its variable names', NAMED],
    ['is in its stack', { Tags: [{ Key: 'lineclear:consumer', Value: 'jobs' }] }],
  ])('a function needs permissions on the table that %s', (_, properties) => {
    expect(missing(own(properties), own(properties))).toEqual([])
    const lacks = consumer(properties, role(allow(arn('Jobs'), 'sqs:*')))
    expect(missing(own(properties), lacks)).toEqual([
      `OrdersProd.Worker may not ${ON_TABLE.join(', ')} on OrdersProd.Table.`,
    ])
  })

  it('a table that is in none of them is not judged, and that is said', () => {
    const elsewhere = own(variables({ LINECLEAR_TABLE: 'shared' }))
    expect(missing(elsewhere, own(NAMED))).toEqual([])
    const unread = diagnose(both(elsewhere, own(NAMED))).map(({ problem }) => problem)
    expect(unread).toContain(
      'Not checked: its table shared is not here, so its permissions on it are unknown.',
    )
  })
})

describe('a function that no queue calls', () => {
  const { Table: _, Jobs: __, Mapping: ___, ...api } = consumer(NAMED)
  it.each<[string, readonly string[], readonly string[]]>([
    ['no action', [], ['question permissions-called Role']],
    ['one that writes, and no other', ['dynamodb:PutItem'], ['question permissions-called Role']],
    ['one that reads', ['dynamodb:GetItem'], []],
    ['all of an answer', ON_TABLE, []],
  ])('and is allowed %s on its table', (_what, actions, expected) => {
    expect(inTemplate({ ...api, Table, Role: role(allow(arn('Table'), ...actions)) })).toEqual(
      expected,
    )
  })

  it('but a schedule does, may have no business with the table', () => {
    const Targets = [{ Arn: arn('Worker') }]
    const Night = {
      Type: 'AWS::Events::Rule',
      Properties: { ScheduleExpression: 'rate(1 day)', Targets },
    }
    expect(inTemplate({ ...api, Table, Role: role(), Night })).toEqual([])
  })

  it('and has no mark, has nothing to do with it', () => {
    const { Table: own, Role, Worker } = consumer()
    expect(inTemplate({ own, Role, Worker })).toEqual([])
  })
})
