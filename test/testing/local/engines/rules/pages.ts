import {
  alternator,
  api,
  asks,
  at,
  countOf,
  dynalite,
  ITEM,
  KEY,
  moto,
  OTHER_KEY,
  refused,
  type Row,
  type Rule,
  stored,
  taken,
  V,
  values,
} from './rule.ts'

const ALTERNATOR = alternator('key_condition_expression')
const QUERIES = alternator('query')
const QUERY = api('Query')

const query = (rule: string, more: object, row: Row): Rule =>
  asks(
    rule,
    'Query',
    { KeyConditionExpression: 'p = :p', ...values({ ':p': KEY.p }), ...more },
    row,
  )

const keyed = (text: string, given: object, row: Row): Rule =>
  query(text, { KeyConditionExpression: text, ...values({ ':p': KEY.p, ...given }) }, row)

const found = (answers: number, source = ALTERNATOR): Row => ({ look: countOf, answers, source })
const Z = { ':v': { N: '0' } }
const INDEXED = { IndexName: 'gsi', KeyConditionExpression: 'g = :g', ...values({ ':g': ITEM.g }) }
const from = (more: object): object => ({ ExclusiveStartKey: { ...KEY, ...more } })

const read = (text: string, answers: unknown, more: object = {}): Rule =>
  asks(
    `the projection ${text}`,
    'GetItem',
    { Key: KEY, ProjectionExpression: text, ...more },
    {
      look: at('Item'),
      answers,
      source: alternator('projection_expression'),
    },
  )
const unread = (text: string, row: Row): Rule =>
  asks(`the projection ${text}`, 'GetItem', { Key: KEY, ProjectionExpression: text }, row)

const PROJECTION = alternator('projection_expression')

export const PAGES: readonly Rule[] = [
  // The conditions of a key
  keyed('p = :p AND p = :p AND c > :v', Z, refused(ALTERNATOR)),
  keyed('p = :p AND c > :v AND c < :w', { ...Z, ':w': { N: '9' } }, refused(ALTERNATOR)),
  keyed('p = :p AND :v < c', Z, found(1)),
  keyed('p = :p AND :v > c', Z, found(0)),
  keyed('c > :v AND p = :p', Z, found(1)),
  keyed('((c > :v) AND (p = :p))', Z, found(1)),
  keyed('p < :p', {}, refused(ALTERNATOR)),
  keyed('c = :v', { ':p': undefined, ':v': { N: '1' } }, refused(ALTERNATOR)),
  keyed('p = :p AND c <> :v', Z, refused(ALTERNATOR)),
  keyed('p = :p AND c IN (:v)', Z, refused(ALTERNATOR)),
  keyed('p = :p OR c = :v', Z, refused(ALTERNATOR)),
  keyed('NOT c = :v AND p = :p', Z, refused(ALTERNATOR)),
  keyed('p = :p AND begins_with(c, :v)', Z, refused(ALTERNATOR, 'accepted')),
  keyed('p = :p AND attribute_exists(c)', {}, refused(ALTERNATOR)),
  keyed('p = :p AND dog(c, :v)', Z, refused(ALTERNATOR)),
  keyed('p = :p AND n < :v', Z, refused(ALTERNATOR)),
  keyed('p = :p AND m.a < :v', Z, refused(ALTERNATOR)),
  keyed('p = c', { ':p': undefined }, refused(ALTERNATOR)),
  keyed('p = :p AND c = :v', { ':v': { S: '1' } }, refused(ALTERNATOR, 'accepted')),
  keyed('p = :p AND c != :v', Z, refused(ALTERNATOR)),
  keyed('p', { ':p': undefined }, refused(ALTERNATOR)),
  keyed('', { ':p': undefined }, refused(ALTERNATOR)),
  query(
    'a filter of the sort key',
    { FilterExpression: 'c = :c', ...values({ ':p': KEY.p, ':c': KEY.c }) },
    refused(alternator('filter_expression')),
  ),
  query(
    'a filter without a text',
    { FilterExpression: '' },
    refused(moto('exceptions/test_dynamodb_exceptions')),
  ),
  query(
    'numbers in their order',
    { ProjectionExpression: 'c' },
    {
      first: ['10', '-1', '2'].map((N) => stored({ ...KEY, c: { N } })),
      look: ({ Items }) => (Items as readonly (typeof KEY)[]).map(({ c }) => c.N).join(),
      answers: '-1,1,2,10',
      source: QUERIES,
    },
  ),
  // What is selected
  query(
    'ALL_ATTRIBUTES of an index that holds keys',
    { ...INDEXED, Select: 'ALL_ATTRIBUTES' },
    refused(QUERY),
  ),
  query(
    'ALL_PROJECTED_ATTRIBUTES of a table',
    { Select: 'ALL_PROJECTED_ATTRIBUTES' },
    refused(QUERY),
  ),
  query(
    'COUNT, and which attributes',
    { Select: 'COUNT', ProjectionExpression: 'n' },
    refused(QUERY),
  ),
  query('SPECIFIC_ATTRIBUTES, and not which', { Select: 'SPECIFIC_ATTRIBUTES' }, refused(QUERIES)),
  query('COUNT in small letters', { Select: 'count' }, refused(moto('test_dynamodb_select'))),
  query('COUNT', { Select: 'COUNT' }, { look: at('Items'), answers: undefined, source: QUERY }),
  query(
    'a consistent read of an index',
    { ...INDEXED, ConsistentRead: true },
    refused(alternator('gsi')),
  ),
  query(
    'an index that is not there',
    { ...INDEXED, IndexName: 'other' },
    refused(alternator('gsi')),
  ),
  query('what an index holds', INDEXED, {
    look: ({ Items }) =>
      Object.keys((Items as readonly object[])[0] ?? {})
        .toSorted()
        .join(),
    answers: 'c,g,p',
    source: moto('test_dynamodb'),
  }),
  // From page to page
  query(
    'a start key of another partition',
    from({ p: { S: 'other' } }),
    refused(QUERIES, 'accepted'),
  ),
  query('a start key with an attribute more', from({ n: V[':v'] }), refused(QUERIES)),
  query('half a start key', { ExclusiveStartKey: { p: KEY.p } }, refused(QUERIES)),
  query('a start key of another type', from({ c: { S: '1' } }), refused(QUERIES)),
  query(
    'a start key of an index with an attribute more',
    {
      ...INDEXED,
      ExclusiveStartKey: { ...KEY, g: ITEM.g, n: ITEM.n },
    },
    refused(alternator('gsi')),
  ),
  query(
    'the start key of an index without its key',
    { ...INDEXED, ...from({}) },
    refused(alternator('gsi')),
  ),
  query('a start key whose item is gone', from({ c: { N: '0' } }), found(1, QUERIES)),
  query('a limit of 0', { Limit: 0 }, refused(QUERIES)),
  query(
    'as many as there are, and where to go on',
    { Limit: 1 },
    {
      look: at('LastEvaluatedKey'),
      answers: KEY,
      source: dynalite('query'),
    },
  ),
  query(
    'what the filter has read',
    { FilterExpression: 'attribute_exists(q)' },
    {
      look: ({ Count, ScannedCount }) => [Count, ScannedCount],
      answers: [0, 1],
      source: QUERY,
    },
  ),
  asks('segments, and none of them', 'Scan', { TotalSegments: 2 }, refused(api('Scan'))),
  asks('a segment of an unknown number', 'Scan', { Segment: 1 }, refused(api('Scan'))),
  asks('segment 2 of 2', 'Scan', { Segment: 2, TotalSegments: 2 }, refused(alternator('scan'))),
  asks(
    'a million segments and one',
    'Scan',
    { Segment: 0, TotalSegments: 1_000_001 },
    refused(alternator('scan')),
  ),
  asks(
    'half a start key of a scan',
    'Scan',
    { ExclusiveStartKey: { p: KEY.p } },
    refused(alternator('scan')),
  ),
  asks(
    'a scan of a table that is not there',
    'Scan',
    { TableName: 'not-there' },
    {
      answers: 'ResourceNotFoundException',
      source: alternator('scan'),
    },
  ),
  // Parts of an item
  read('m.a', { m: ITEM.m }),
  read('q', {}),
  read('n.q', {}),
  read('l[1]', {}),
  read('l[0], m.q, n', { l: ITEM.l, n: ITEM.n }),
  unread('n, n', refused(PROJECTION)),
  unread('m, m.a', refused(PROJECTION)),
  unread('n,', refused(PROJECTION)),
  unread('', refused(PROJECTION)),
  asks(
    'the projection of an item that is not there',
    'GetItem',
    { Key: OTHER_KEY, ProjectionExpression: 'q' },
    {
      look: at('Item'),
      answers: undefined,
      source: PROJECTION,
    },
  ),
  asks(
    'a projection of 4,097 bytes',
    'GetItem',
    { Key: KEY, ProjectionExpression: 'x'.repeat(4_097) },
    refused(alternator('limits')),
  ),
  asks(
    'a projection of 4,096 bytes',
    'GetItem',
    { Key: KEY, ProjectionExpression: 'x'.repeat(4_096) },
    taken(alternator('limits')),
  ),
]
