import type { Answer } from './call.ts'

/** One request, and what AWS answers to it. It finds a table, `tableOf`, with the item `ITEM`. */
export interface Rule {
  readonly rule: string
  readonly operation: string
  readonly request: (TableName: string) => object
  /** Default: `accepted`, or the name of the error. */
  readonly look?: (answer: Answer) => unknown
  readonly answers: unknown
  /** Who recorded that answer on AWS, or AWS's own page. */
  readonly source: string
  /** What the native engine, 1.2.1, answers instead. */
  readonly native?: unknown
}

const AWS = 'docs.aws.amazon.com/amazondynamodb/latest'
const UPDATES = `${AWS}/developerguide/Expressions.UpdateExpressions.html`
const CREATE = `${AWS}/APIReference/API_CreateTable.html`
const QUERY = `${AWS}/APIReference/API_Query.html`
const NAMES = `${AWS}/developerguide/HowItWorks.NamingRulesDataTypes.html`
const ALTERNATOR = 'scylladb/scylladb 1fd1b3f0, test/alternator'
const DYNALITE = 'architect/dynalite, test'

const KEY = { p: { S: 'a' }, c: { N: '1' } }
export const ITEM = {
  ...KEY,
  n: { N: '1' },
  l: { L: [{ S: 'x' }] },
  m: { M: { a: { S: '1' } } },
  g: { S: 'g' },
}

const attribute = (AttributeName: string, AttributeType: string): object => ({
  AttributeName,
  AttributeType,
})
const hash = (AttributeName: string): object => ({ AttributeName, KeyType: 'HASH' })
const INDEX = {
  IndexName: 'gsi',
  KeySchema: [hash('g')],
  Projection: { ProjectionType: 'KEYS_ONLY' },
}

export function tableOf(TableName: string): object {
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [attribute('p', 'S'), attribute('c', 'N'), attribute('g', 'S')],
    KeySchema: [hash('p'), { AttributeName: 'c', KeyType: 'RANGE' }],
    GlobalSecondaryIndexes: [INDEX],
  }
}

type Row = Omit<Rule, 'rule' | 'operation' | 'request'>

const create = (rule: string, more: object, row: Partial<Row> & { source: string }): Rule => ({
  rule,
  operation: 'CreateTable',
  request: (name) => ({ ...tableOf(`${name}-other`), ...more }),
  answers: 'ValidationException',
  ...row,
})

const values = (given: object): object => ({ ExpressionAttributeValues: given })

const update = (text: string, given: object | undefined, row: Row): Rule => ({
  rule: text,
  operation: 'UpdateItem',
  request: (TableName) => ({
    TableName,
    Key: KEY,
    UpdateExpression: text,
    ReturnValues: 'ALL_NEW',
    ...(given && values(given)),
  }),
  ...row,
})

const ofMissing = (text: string, row: Row): Rule => ({
  rule: `${text}, of an item that is not there`,
  operation: 'UpdateItem',
  request: (TableName) => ({
    TableName,
    Key: { ...KEY, c: { N: '2' } },
    UpdateExpression: text,
    ReturnValues: 'ALL_NEW',
  }),
  ...row,
})

const query = (rule: string, more: object, row: Row): Rule => ({
  rule,
  operation: 'Query',
  request: (TableName) => ({
    TableName,
    KeyConditionExpression: 'p = :p',
    ...values({ ':p': KEY.p }),
    ...more,
  }),
  ...row,
})

const keyCondition = (text: string, given: object, row: Row): Rule =>
  query(
    text,
    { KeyConditionExpression: text, ...values({ ':p': KEY.p, ':v': { N: '0' }, ...given }) },
    row,
  )

const filter = (text: string, given: object | undefined, row: Row): Rule => ({
  rule: text,
  operation: 'Scan',
  request: (TableName) => ({ TableName, FilterExpression: text, ...(given && values(given)) }),
  ...row,
})

const scan = (rule: string, more: object, row: Row): Rule => ({
  rule,
  operation: 'Scan',
  request: (TableName) => ({ TableName, ...more }),
  ...row,
})

const put = (rule: string, Item: object, row: Row): Rule => ({
  rule,
  operation: 'PutItem',
  request: (TableName) => ({ TableName, Item: { ...KEY, ...Item } }),
  ...row,
})

const transact = (rule: string, Item: object, token: string | undefined, row: Row): Rule => ({
  rule,
  operation: 'TransactWriteItems',
  request: (TableName) => ({
    ClientRequestToken: token,
    TransactItems: [{ Put: { TableName, Item: { ...KEY, ...Item } } }],
  }),
  ...row,
})

interface Attributes {
  readonly l: { readonly L: readonly { readonly S: string }[] }
  readonly n: { readonly N: string }
}

const attributesOf = ({ Attributes }: Answer): Attributes => Attributes as Attributes
const numberOf = (answer: Answer): string => attributesOf(answer).n.N
const listOf = (answer: Answer): string =>
  attributesOf(answer)
    .l.L.map(({ S }) => S)
    .join()
const countOf = ({ Count }: Answer): unknown => Count

const refused = (source: string, native?: string): Row => ({
  answers: 'ValidationException',
  source,
  ...(native && { native }),
})

/** What passes here and fails on AWS comes first. */
export const RULES: readonly Rule[] = [
  // An update
  ofMissing('REMOVE n', {
    look: ({ Attributes }) => Attributes,
    answers: undefined,
    source: 'scylladb/scylladb#5862',
    native: { ...KEY, c: { N: '2' } },
  }),
  ofMissing('REMOVE x.y', {
    answers: 'accepted',
    source: `${ALTERNATOR}/test_update_expression.py`,
  }),
  update('REMOVE x.y', undefined, refused(`${ALTERNATOR}/test_update_expression.py`, 'accepted')),
  update('REMOVE m.y', undefined, { answers: 'accepted', source: 'scylladb/scylladb#10043' }),
  update('REMOVE l[7]', undefined, {
    answers: 'accepted',
    source: `${ALTERNATOR}/test_update_expression.py`,
  }),
  update(
    'SET l = list_append(list_append(l, :v), :v)',
    { ':v': { L: [] } },
    refused(`${ALTERNATOR}/test_update_expression.py`, 'accepted'),
  ),
  update(
    'SET n = if_not_exists(:v, :v)',
    { ':v': { N: '1' } },
    refused(`${ALTERNATOR}/test_update_expression.py`),
  ),
  update(
    'SET n = if_not_exists(if_not_exists(n, :v), :v)',
    { ':v': { N: '1' } },
    refused(`${ALTERNATOR}/test_update_expression.py`),
  ),
  update(
    'SET n = if_not_exists(n, :v + :v)',
    { ':v': { N: '1' } },
    refused(`${ALTERNATOR}/test_update_expression.py`),
  ),
  update(
    'SET z = if_not_exists(y, if_not_exists(x, :v))',
    { ':v': { N: '1' } },
    { answers: 'accepted', source: `${ALTERNATOR}/test_update_expression.py` },
  ),
  update(
    'SET l = list_append(if_not_exists(l, :v), :v)',
    { ':v': { L: [{ S: 'y' }] } },
    { look: listOf, answers: 'x,y', source: `${ALTERNATOR}/test_update_expression.py` },
  ),
  update(
    'SET l[9] = :b, l[5] = :a',
    { ':a': { S: 'a' }, ':b': { S: 'b' } },
    {
      look: listOf,
      answers: 'x,a,b',
      source: UPDATES,
      native: 'x,,,,,a,,,,b',
    },
  ),
  update(
    'SET n = (n + :v)',
    { ':v': { N: '1' } },
    { look: numberOf, answers: '2', source: `${DYNALITE}/updateItem.js` },
  ),
  update(
    'SET n = (if_not_exists(n, :z) + :v)',
    { ':v': { N: '1' }, ':z': { N: '0' } },
    { look: numberOf, answers: '2', source: `${DYNALITE}/updateItem.js` },
  ),
  // Values and names
  put(
    'base64 without its padding',
    { b: { B: 'YQ' } },
    {
      answers: 'SerializationException',
      source: DYNALITE,
    },
  ),
  put(
    'base64 with another character',
    { b: { B: 'YW_=' } },
    {
      answers: 'SerializationException',
      source: DYNALITE,
    },
  ),
  create('a table name of 256 characters', { TableName: 'x'.repeat(256) }, { source: NAMES }),
  create('a table name of 2 characters', { TableName: 'xy' }, { source: NAMES }),
  create('a table name with a blank', { TableName: 'a b c' }, { source: NAMES }),
  create(
    'an index name of 2 characters',
    { GlobalSecondaryIndexes: [{ ...INDEX, IndexName: 'xy' }] },
    { source: NAMES },
  ),
  create(
    'two indexes of one name',
    { GlobalSecondaryIndexes: [INDEX, INDEX] },
    { source: `${ALTERNATOR}/test_gsi.py` },
  ),
  create(
    'a key of the type BOOL',
    {
      AttributeDefinitions: [attribute('p', 'S'), attribute('c', 'BOOL'), attribute('g', 'S')],
    },
    { source: CREATE },
  ),
  create(
    'a projection of an unknown type',
    { GlobalSecondaryIndexes: [{ ...INDEX, Projection: { ProjectionType: 'SOME' } }] },
    { source: CREATE },
  ),
  create(
    'a key attribute with a name of 256 characters',
    {
      AttributeDefinitions: [attribute('x'.repeat(256), 'S')],
      KeySchema: [hash('x'.repeat(256))],
      GlobalSecondaryIndexes: undefined,
    },
    { source: NAMES, native: 'accepted' },
  ),
  // Conditions
  filter(
    'attribute_type(n, :v)',
    { ':v': { S: 'DOG' } },
    refused(`${DYNALITE}/scan.js`, 'accepted'),
  ),
  filter('n <> n', undefined, refused(`${DYNALITE}/scan.js`, 'accepted')),
  filter('contains(l, l)', undefined, refused(`${DYNALITE}/scan.js`)),
  filter(
    '(size(l)) = :v',
    { ':v': { N: '1' } },
    { look: countOf, answers: 1, source: `${DYNALITE}/scan.js`, native: undefined },
  ),
  keyCondition(
    'p = :p AND p = :p AND c > :v',
    {},
    refused(`${ALTERNATOR}/test_key_condition_expression.py`),
  ),
  keyCondition(
    'p = :p AND c > :v AND c < :w',
    { ':w': { N: '9' } },
    refused(`${ALTERNATOR}/test_key_condition_expression.py`),
  ),
  keyCondition(
    'p = :p AND :v < c',
    {},
    {
      look: countOf,
      answers: 1,
      source: `${ALTERNATOR}/test_key_condition_expression.py`,
    },
  ),
  keyCondition(
    'p = :p AND :v > c',
    {},
    {
      look: countOf,
      answers: 0,
      source: `${ALTERNATOR}/test_key_condition_expression.py`,
    },
  ),
  // Pages
  query(
    'ALL_ATTRIBUTES of an index that holds keys',
    {
      IndexName: 'gsi',
      Select: 'ALL_ATTRIBUTES',
      KeyConditionExpression: 'g = :g',
      ...values({ ':g': { S: 'g' } }),
    },
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
  query(
    'a start key of another partition',
    { ExclusiveStartKey: { ...KEY, p: { S: 'other' } } },
    refused(`${DYNALITE}/query.js`, 'accepted'),
  ),
  scan(
    'segments, and none of them',
    { TotalSegments: 2 },
    refused(`${AWS}/APIReference/API_Scan.html`),
  ),
  scan(
    'a segment of an unknown number',
    { Segment: 1 },
    refused(`${AWS}/APIReference/API_Scan.html`),
  ),
  {
    rule: 'as many tables as are asked for',
    operation: 'ListTables',
    request: () => ({ Limit: 1 }),
    look: ({ TableNames }) => (TableNames as readonly string[]).length,
    answers: 1,
    source: `${AWS}/APIReference/API_ListTables.html`,
  },
  // Transactions
  transact(
    'a token of 37 characters',
    {},
    'x'.repeat(37),
    refused(`${AWS}/APIReference/API_TransactWriteItems.html`),
  ),
  transact('a token of 36 characters', {}, 'x'.repeat(36), {
    answers: 'accepted',
    source: `${AWS}/APIReference/API_TransactWriteItems.html`,
  }),
  transact(
    'an empty key in a transaction',
    { p: { S: '' } },
    undefined,
    refused('getmoto/moto, its tests that are marked as verified on AWS'),
  ),
]
