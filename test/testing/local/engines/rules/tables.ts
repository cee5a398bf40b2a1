import {
  alternator,
  api,
  asks,
  at,
  attribute,
  type Call,
  dynalite,
  guide,
  INDEX,
  keyPart,
  refused,
  type Row,
  type Rule,
  tableOf,
  taken,
} from './rule.ts'

const NAMES = guide('HowItWorks.NamingRulesDataTypes')
const CREATE = api('CreateTable')
const GSI = alternator('gsi')
const TTL = alternator('ttl')
const MISSING = 'ResourceNotFoundException'

const create = (rule: string, more: object, row: Row): Rule => ({
  rule,
  operation: 'CreateTable',
  request: (name) => ({ ...tableOf(`${name}-other`), ...more }),
  ...row,
})
const index = (rule: string, more: object, row: Row): Rule =>
  create(rule, { GlobalSecondaryIndexes: [{ ...INDEX, ...more }] }, row)
const LONG = 'x'.repeat(256)

const expires = (rule: string, TimeToLiveSpecification: object, row: Row): Rule =>
  asks(rule, 'UpdateTimeToLive', { TimeToLiveSpecification }, row)
const ON = { AttributeName: 'ttl', Enabled: true }
const isOn: Row['first'] = [expires('', ON, { answers: '', source: '' }) satisfies Call]

export const TABLES: readonly Rule[] = [
  create('a table name of 256 characters', { TableName: LONG }, refused(NAMES)),
  create('a table name of 2 characters', { TableName: 'xy' }, refused(NAMES)),
  create('a table name with a blank', { TableName: 'a b c' }, refused(NAMES)),
  index('an index name of 2 characters', { IndexName: 'xy' }, refused(NAMES)),
  create('two indexes of one name', { GlobalSecondaryIndexes: [INDEX, INDEX] }, refused(GSI)),
  create(
    'a key of the type BOOL',
    { AttributeDefinitions: [attribute('p', 'S'), attribute('c', 'BOOL'), attribute('g', 'S')] },
    refused(CREATE),
  ),
  index(
    'a projection of an unknown type',
    { Projection: { ProjectionType: 'SOME' } },
    refused(CREATE),
  ),
  index('a projection without a type', { Projection: {} }, refused(GSI)),
  index('INCLUDE of nothing', { Projection: { ProjectionType: 'INCLUDE' } }, refused(GSI)),
  index(
    'KEYS_ONLY, and more',
    { Projection: { ProjectionType: 'KEYS_ONLY', NonKeyAttributes: ['z'] } },
    refused(GSI),
  ),
  index(
    'INCLUDE of one attribute twice',
    { Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['z', 'z'] } },
    refused(GSI, 'accepted'),
  ),
  index('an index with a sort key only', { KeySchema: [keyPart('g', 'RANGE')] }, refused(GSI)),
  index('an index of an attribute without a type', { KeySchema: [keyPart('q')] }, refused(GSI)),
  create(
    'an attribute with two types',
    {
      AttributeDefinitions: [
        attribute('p', 'S'),
        attribute('c', 'N'),
        attribute('g', 'S'),
        attribute('g', 'N'),
      ],
    },
    refused(GSI),
  ),
  create(
    'an attribute that is no key',
    { GlobalSecondaryIndexes: undefined },
    refused(dynalite('createTable')),
  ),
  create(
    'two partition keys',
    { KeySchema: [keyPart('p'), keyPart('c')] },
    refused(dynalite('createTable')),
  ),
  create(
    'one attribute as both keys',
    { KeySchema: [keyPart('p'), keyPart('p', 'RANGE')] },
    refused(dynalite('createTable')),
  ),
  create(
    'a key attribute with a name of 256 characters',
    {
      AttributeDefinitions: [attribute(LONG, 'S')],
      KeySchema: [keyPart(LONG)],
      GlobalSecondaryIndexes: undefined,
    },
    refused(NAMES, 'accepted'),
  ),
  create(
    'provisioned throughput of a table that is paid by request',
    { ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } },
    refused(dynalite('createTable')),
  ),
  create(
    'provisioned, and how much is not said',
    { BillingMode: 'PROVISIONED' },
    refused(dynalite('createTable')),
  ),
  {
    rule: 'a table that is there',
    operation: 'CreateTable',
    request: tableOf,
    answers: 'ResourceInUseException',
    source: alternator('table'),
  },
  ...['DescribeTable', 'DeleteTable', 'DescribeTimeToLive'].map((operation) =>
    asks(
      `${operation} of a table that is not there`,
      operation,
      { TableName: 'not-there' },
      {
        answers: MISSING,
        source: alternator('describe_table'),
      },
    ),
  ),
  {
    rule: 'as many tables as are asked for',
    operation: 'ListTables',
    request: () => ({ Limit: 1 }),
    look: ({ TableNames }) => (TableNames as readonly string[]).length,
    answers: 1,
    source: api('ListTables'),
  },
  {
    rule: 'no tables',
    operation: 'ListTables',
    request: () => ({ Limit: 0 }),
    ...refused(api('ListTables')),
  },
  {
    rule: '101 tables',
    operation: 'ListTables',
    request: () => ({ Limit: 101 }),
    ...refused(api('ListTables')),
  },
  // Time to live
  expires('the time to live', ON, taken(TTL)),
  expires('the time to live, which is on', ON, { ...refused(TTL, 'accepted'), first: isOn }),
  expires(
    'another time to live, while one is on',
    { ...ON, AttributeName: 'z' },
    { ...refused(TTL), first: isOn },
  ),
  expires(
    'no time to live, and there is none',
    { ...ON, Enabled: false },
    refused(TTL, 'accepted'),
  ),
  expires(
    'no time to live of another attribute',
    { AttributeName: 'z', Enabled: false },
    { ...refused(TTL, 'accepted'), first: isOn },
  ),
  expires('a time to live without a name', { ...ON, AttributeName: '' }, refused(TTL)),
  expires(
    'a time to live with a name of 256 characters',
    { ...ON, AttributeName: LONG },
    refused(TTL, 'accepted'),
  ),
  expires('a time to live of no attribute', { Enabled: true }, refused(TTL)),
  expires('a time to live, on or off', { AttributeName: 'ttl' }, refused(TTL)),
  asks(
    'a time to live of a table that is not there',
    'UpdateTimeToLive',
    { TableName: 'not-there', TimeToLiveSpecification: ON },
    { answers: MISSING, source: TTL },
  ),
  asks(
    'what the time to live is',
    'DescribeTimeToLive',
    {},
    {
      first: isOn,
      look: at('TimeToLiveDescription'),
      answers: { TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' },
      source: TTL,
    },
  ),
]
