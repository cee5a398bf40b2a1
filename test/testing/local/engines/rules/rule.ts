import type { Answer } from '../call.ts'

/** One request, and what AWS answers to it. It finds a table, `tableOf`, with the item `ITEM`. */
export interface Rule {
  readonly rule: string
  /** Requests that come before it. */
  readonly first?: readonly Call[]
  readonly operation: string
  readonly request: (TableName: string) => object
  /** Default: `accepted`, or the name of the error. */
  readonly look?: (answer: Answer) => unknown
  readonly answers: unknown
  /** Who recorded that answer on AWS, or AWS's own page. */
  readonly source: string
  /** What the native engine, 1.2.1, answers instead. */
  readonly native?: unknown
  /** What the engine in TypeScript answers instead, and why nobody is misled by it. */
  readonly typeScript?: { readonly answers: unknown; readonly because: string }
}
export type Row = Omit<Rule, 'rule' | 'operation' | 'request'>
export type Call = Pick<Rule, 'operation' | 'request'>

const AWS = 'docs.aws.amazon.com/amazondynamodb/latest'
export const guide = (page: string): string => `${AWS}/developerguide/${page}.html`
export const api = (page: string): string => `${AWS}/APIReference/API_${page}.html`
/** Its tests also run on AWS. Those that only Scylla passes are not used here. */
export const alternator = (file: string): string =>
  `scylladb/scylladb f4a4091c, test/alternator/test_${file}.py`
export const dynalite = (file: string): string => `architect/dynalite 4.0.0, test/${file}.js`
/** Only tests that are marked as verified on AWS. */
export const moto = (file: string): string =>
  `getmoto/moto 0af643a5, tests/test_dynamodb/${file}.py`

export const KEY = { p: { S: 'a' }, c: { N: '1' } }
export const OTHER_KEY = { ...KEY, c: { N: '2' } }
export const ITEM = {
  ...KEY,
  n: { N: '1' },
  l: { L: [{ S: 'x' }] },
  m: { M: { a: { S: '1' } } },
  s: { SS: ['x', 'y'] },
  g: { S: 'g' },
}

export const attribute = (AttributeName: string, AttributeType: string): object => ({
  AttributeName,
  AttributeType,
})
export const keyPart = (AttributeName: string, KeyType = 'HASH'): object => ({
  AttributeName,
  KeyType,
})
export const INDEX = {
  IndexName: 'gsi',
  KeySchema: [keyPart('g')],
  Projection: { ProjectionType: 'KEYS_ONLY' },
}

export function tableOf(TableName: string): object {
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [attribute('p', 'S'), attribute('c', 'N'), attribute('g', 'S')],
    KeySchema: [keyPart('p'), keyPart('c', 'RANGE')],
    GlobalSecondaryIndexes: [INDEX],
  }
}

export const values = (given: object): object => ({ ExpressionAttributeValues: given })
export const names = (given: object): object => ({ ExpressionAttributeNames: given })
export const V = { ':v': { N: '1' } }

export const refused = (source: string, native?: unknown): Row => ({
  answers: 'ValidationException',
  source,
  ...(native !== undefined && { native }),
})
export const taken = (source: string, native?: unknown): Row => ({
  answers: 'accepted',
  source,
  ...(native !== undefined && { native }),
})

/** A request on the table of the rule, with its name. */
export const asks = (rule: string, operation: string, more: object, row: Row): Rule => ({
  rule,
  operation,
  request: (TableName) => ({ TableName, ...more }),
  ...row,
})

export const puts = (rule: string, Item: object, row: Row): Rule =>
  asks(rule, 'PutItem', { Item: { ...KEY, ...Item } }, row)

export const stored = (Item: object): Call => ({
  operation: 'PutItem',
  request: (TableName) => ({ TableName, Item }),
})

/** A member of the answer, such as `Attributes.l.L`; undefined where there is none. */
export const at =
  (path: string) =>
  (answer: Answer): unknown =>
    path
      .split('.')
      .reduce<unknown>(
        (value, name) => (value as Record<string, unknown> | undefined)?.[name],
        answer,
      )

export const countOf = at('Count')
