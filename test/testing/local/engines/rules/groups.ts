import type { Answer } from '../call.ts'
import {
  alternator,
  api,
  asks,
  at,
  type Call,
  dynalite,
  guide,
  ITEM,
  KEY,
  moto,
  OTHER_KEY,
  refused,
  type Row,
  type Rule,
  taken,
} from './rule.ts'

const ALTERNATOR = alternator('transact')
const BATCHES = alternator('batch')
const STATEMENTS = moto('test_dynamodb_statements')
const MISSING = 'ResourceNotFoundException'

/** Entries for a table, in a batch, a transaction or a batch of keys. */
type Entries<T> = (TableName: string) => readonly T[]

const writes = (rule: string, entries: readonly object[], row: Row): Rule => ({
  rule,
  operation: 'BatchWriteItem',
  request: (TableName) => ({ RequestItems: { [TableName]: entries } }),
  ...row,
})
const reads = (rule: string, Keys: readonly object[], row: Row): Rule => ({
  rule,
  operation: 'BatchGetItem',
  request: (TableName) => ({ RequestItems: { [TableName]: { Keys } } }),
  ...row,
})
/** @param token the end of its token, or a whole one */
const transacts = (rule: string, entries: Entries<object>, row: Row, token?: string): Rule => ({
  rule,
  operation: 'TransactWriteItems',
  request: (name) => ({
    ClientRequestToken: token?.startsWith('-') ? `${name}${token}` : token,
    TransactItems: entries(name),
  }),
  ...row,
})
const states = (rule: string, Statement: Entries<string>, row: Row): Rule => ({
  rule,
  operation: 'BatchExecuteStatement',
  request: (name) => ({ Statements: Statement(name).map((each) => ({ Statement: each })) }),
  ...row,
})

const PUT = { PutRequest: { Item: ITEM } }
const DELETE = { DeleteRequest: { Key: KEY } }
const keys = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, nth) => ({ ...KEY, c: { N: String(nth) } }))
const putOf =
  (Item: object, more: object = {}) =>
  (TableName: string): readonly object[] => [{ Put: { TableName, Item, ...more } }]
const again = (Item: object, token: string): Call =>
  transacts('', putOf(Item), { answers: '', source: '' }, token)
const reasons = ({ CancellationReasons }: Answer): unknown =>
  (CancellationReasons as readonly { readonly Code: string }[]).map(({ Code }) => Code).join()
const codes = ({ Responses }: Answer): string =>
  (Responses as readonly { readonly Error?: { readonly Code: string } }[])
    .map(({ Error }) => Error?.Code ?? 'accepted')
    .join()
const UNMET = { ConditionExpression: 'attribute_not_exists(p)' }
const insert = (name: string, c: number): string => `INSERT INTO "${name}" VALUE {'p':'a','c':${c}}`
const set = (name: string, where: string): string => `UPDATE "${name}" SET z = 1 WHERE ${where}`
const ONE = "p = 'a' AND c = 1"
const TWO = "p = 'a' AND c = 2"

export const GROUPS: readonly Rule[] = [
  // Batches
  writes('no entry of a table', [], refused(dynalite('batchWriteItem'))),
  writes(
    '26 writes',
    keys(26).map((Item) => ({ PutRequest: { Item } })),
    refused(BATCHES),
  ),
  writes(
    '25 writes',
    keys(25).map((Item) => ({ PutRequest: { Item } })),
    taken(BATCHES),
  ),
  writes('a put twice', [PUT, PUT], refused(BATCHES)),
  writes('a put and a deletion of one item', [PUT, DELETE], refused(BATCHES)),
  writes(
    'one item by two texts of its number',
    [PUT, { DeleteRequest: { Key: { ...KEY, c: { N: '1.0' } } } }],
    refused(BATCHES),
  ),
  writes('an entry that writes nothing', [{}], refused(dynalite('batchWriteItem'))),
  writes(
    'an entry that puts and deletes',
    [{ ...PUT, DeleteRequest: { Key: OTHER_KEY } }],
    refused(api('WriteRequest'), 'accepted'),
  ),
  {
    ...asks(
      'a batch with a wrong key writes nothing',
      'GetItem',
      { Key: OTHER_KEY },
      {
        first: [
          writes(
            '',
            [{ PutRequest: { Item: OTHER_KEY } }, { DeleteRequest: { Key: {} } }],
            refused(BATCHES),
          ),
        ],
        look: at('Item'),
        answers: undefined,
        source: BATCHES,
      },
    ),
  },
  {
    rule: 'no table',
    operation: 'BatchWriteItem',
    request: () => ({ RequestItems: {} }),
    ...refused(dynalite('batchWriteItem')),
  },
  {
    rule: 'a missing table, before an item that comes twice',
    operation: 'BatchWriteItem',
    request: () => ({ RequestItems: { 'not-there': [DELETE, DELETE] } }),
    answers: MISSING,
    source: dynalite('batchWriteItem'),
  },
  reads('101 keys', keys(101), refused(dynalite('batchGetItem'))),
  reads('no key', [], refused(dynalite('batchGetItem'))),
  reads('a key twice', [KEY, KEY], refused(BATCHES)),
  reads('a key that is not there', [OTHER_KEY], {
    look: at('UnprocessedKeys'),
    answers: {},
    source: BATCHES,
  }),
  // Transactions
  transacts('no action', () => [], refused(ALTERNATOR)),
  transacts(
    '101 actions',
    (name) => keys(101).flatMap((Item) => putOf(Item)(name)),
    refused(ALTERNATOR),
  ),
  transacts(
    '100 actions',
    (name) => keys(100).flatMap((Item) => putOf(Item)(name)),
    taken(ALTERNATOR),
  ),
  transacts(
    'two actions on one item',
    (name) => [...putOf(ITEM)(name), { Delete: { TableName: name, Key: KEY } }],
    refused(ALTERNATOR),
  ),
  transacts(
    'a write and a check of one item',
    (name) => [...putOf(ITEM)(name), { ConditionCheck: { TableName: name, Key: KEY, ...UNMET } }],
    refused(ALTERNATOR),
  ),
  transacts(
    'a check of nothing',
    (TableName) => [{ ConditionCheck: { TableName, Key: KEY } }],
    refused(ALTERNATOR),
  ),
  transacts(
    'an action that is two',
    (TableName) => [{ Put: { TableName, Item: OTHER_KEY }, Delete: { TableName, Key: KEY } }],
    refused(api('TransactWriteItem'), 'accepted'),
  ),
  transacts(
    '4 MiB and more',
    (name) => keys(11).flatMap((key) => putOf({ ...key, z: { S: 'x'.repeat(400_000) } })(name)),
    refused(ALTERNATOR),
  ),
  transacts('a table that is not there', () => putOf(ITEM)('not-there'), {
    answers: MISSING,
    source: api('TransactWriteItems'),
  }),
  transacts('a token of 37 characters', putOf(ITEM), refused(ALTERNATOR), 'x'.repeat(37)),
  transacts('a token of 36 characters', putOf(ITEM), taken(ALTERNATOR), 'x'.repeat(36)),
  transacts(
    'a token with other actions',
    putOf(OTHER_KEY),
    {
      first: [again(ITEM, '-once')],
      answers: 'IdempotentParameterMismatchException',
      source: ALTERNATOR,
    },
    '-once',
  ),
  {
    ...transacts(
      'a token again, whatever the condition is by now',
      putOf(OTHER_KEY, UNMET),
      taken(ALTERNATOR),
      '-again',
    ),
    first: [transacts('', putOf(OTHER_KEY, UNMET), taken(ALTERNATOR), '-again')],
  },
  transacts(
    'an empty key',
    putOf({ ...KEY, p: { S: '' } }),
    refused(moto('exceptions/test_dynamodb_transactions')),
  ),
  transacts('a key of another type', putOf({ ...KEY, c: { S: '1' } }), {
    look: reasons,
    answers: 'ValidationError',
    source: ALTERNATOR,
  }),
  transacts(
    'reasons beside an invalid one',
    (name) => [...putOf({ ...KEY, c: { S: '1' } })(name), ...putOf(ITEM, UNMET)(name)],
    {
      look: reasons,
      answers: 'ValidationError,None',
      source: ALTERNATOR,
      native: 'ValidationError,ConditionalCheckFailed',
    },
  ),
  transacts(
    'reasons beside an unmet one',
    (name) => [...putOf(OTHER_KEY)(name), ...putOf(ITEM, UNMET)(name)],
    {
      look: reasons,
      answers: 'None,ConditionalCheckFailed',
      source: ALTERNATOR,
    },
  ),
  transacts(
    'the item of an unmet condition',
    putOf(ITEM, { ...UNMET, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    {
      look: ({ CancellationReasons }) =>
        (CancellationReasons as readonly { readonly Item?: object }[])[0]?.Item,
      answers: ITEM,
      source: moto('test_dynamodb_transact'),
    },
  ),
  transacts(
    'another word for that item',
    putOf(ITEM, { ...UNMET, ReturnValuesOnConditionCheckFailure: 'ALL_NEW' }),
    refused(ALTERNATOR, 'TransactionCanceledException'),
  ),
  transacts(
    'a name that is not used',
    putOf(ITEM, { ...UNMET, ExpressionAttributeNames: { '#z': 'z' } }),
    refused(ALTERNATOR, 'TransactionCanceledException'),
  ),
  transacts(
    'a value that is not given',
    putOf(ITEM, { ConditionExpression: 'p = :z' }),
    refused(ALTERNATOR, 'TransactionCanceledException'),
  ),
  transacts(
    'an update of nothing',
    (TableName) => [{ Update: { TableName, Key: KEY } }],
    refused(api('Update')),
  ),
  {
    rule: 'reading a key that is not there in a transaction',
    operation: 'TransactGetItems',
    request: (TableName) => ({ TransactItems: [{ Get: { TableName, Key: OTHER_KEY } }] }),
    look: at('Responses'),
    answers: [{}],
    source: ALTERNATOR,
  },
  // Statements of PartiQL
  states('INSERT of an item that is there', (name) => [insert(name, 1)], {
    look: codes,
    answers: 'DuplicateItem',
    source: api('BatchStatementError'),
  }),
  states('INSERT of literals', (name) => [insert(name, 2)], {
    look: codes,
    answers: 'accepted',
    source: STATEMENTS,
  }),
  states('UPDATE of an item that is not there', (name) => [set(name, TWO)], {
    look: codes,
    answers: 'ConditionalCheckFailed',
    source: api('BatchStatementError'),
  }),
  states('DELETE of an item that is not there', (name) => [`DELETE FROM "${name}" WHERE ${TWO}`], {
    look: codes,
    answers: 'accepted',
    source: guide('ql-reference.delete'),
  }),
  states('half a key', (name) => [set(name, "p = 'a'")], {
    look: codes,
    answers: 'ValidationError',
    source: api('BatchStatementError'),
  }),
  states(
    'one that is refused, beside one that is not',
    (name) => [insert(name, 1), insert(name, 2)],
    { look: codes, answers: 'DuplicateItem,accepted', source: api('BatchExecuteStatement') },
  ),
  states(
    'two on one item',
    (name) => [set(name, ONE), set(name, ONE)],
    refused(api('BatchExecuteStatement')),
  ),
  states(
    '26 statements',
    (name) => keys(26).map((_, nth) => insert(name, nth)),
    refused(api('BatchExecuteStatement')),
  ),
  {
    rule: 'more parameters than question marks',
    operation: 'ExecuteStatement',
    request: (name) => ({ Statement: set(name, ONE), Parameters: [{ N: '1' }] }),
    ...refused(api('ExecuteStatement'), 'accepted'),
  },
  {
    rule: 'a statement of nothing',
    operation: 'ExecuteStatement',
    request: () => ({ Statement: '' }),
    ...refused(api('ExecuteStatement')),
  },
  {
    rule: 'SELECT',
    operation: 'ExecuteStatement',
    request: (name) => ({ Statement: `SELECT * FROM "${name}"` }),
    ...taken(STATEMENTS),
    typeScript: {
      answers: 'ValidationException',
      because: 'it writes by PartiQL only, and says so',
    },
  },
  reads('one that is there, and one that is not', [KEY, OTHER_KEY], {
    look: ({ Responses }) => Object.values(Responses as object).flat().length,
    answers: 1,
    source: BATCHES,
  }),
]
