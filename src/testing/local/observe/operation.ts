import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { tableNameIn, readStatement, type PartiQlStatement } from '../faults/items.ts'

type Attributes = Readonly<Record<string, AttributeValue>>
type Values = ReadonlyMap<string, AttributeValue>

/** What one request does to one item, in whichever of DynamoDB's languages it is written. */
export interface Operation {
  readonly does: 'reads' | 'creates' | 'puts' | 'updates' | 'deletes' | 'checks'
  readonly table: string
  readonly key: Attributes
  /** `key` may hold other attributes: those of an item that is put, or the conditions of a statement. */
  readonly mixed: boolean
  readonly set: Values
  readonly added: Values
  readonly removed: ReadonlySet<string>
  /** Attributes that have to equal a value. */
  readonly equal: Values
}

interface Expressions {
  readonly TableName?: string
  readonly Key?: Attributes
  readonly Item?: Attributes
  readonly UpdateExpression?: string
  readonly ConditionExpression?: string
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>
  readonly ExpressionAttributeValues?: Attributes
}
interface Input extends Expressions, PartiQlStatement {
  readonly TransactItems?: readonly Readonly<Record<string, Expressions | undefined>>[]
  readonly Statements?: readonly PartiQlStatement[]
  readonly RequestItems?: Readonly<Record<string, unknown>>
}

/** The operations of a DynamoDB call on items, in their order; none for Query, Scan and everything else. */
export function operationsOf(action: string, input: Input): readonly Operation[] {
  switch (action) {
    case 'GetItem':
      return [operation('reads', input)]
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return [operation(VERBS[action] ?? 'reads', input)]
    case 'TransactWriteItems':
    case 'TransactGetItems':
      return (input.TransactItems ?? []).flatMap((item) =>
        Object.entries(item).flatMap(([kind, written]) =>
          written === undefined ? [] : [operation(VERBS[`${kind}Item`] ?? 'reads', written)],
        ),
      )
    case 'ExecuteStatement':
      return [ofStatement(input)]
    case 'BatchExecuteStatement':
      return (input.Statements ?? []).map(ofStatement)
    case 'BatchGetItem':
    case 'BatchWriteItem':
      return Object.entries(input.RequestItems ?? {}).flatMap(([TableName, asked]) =>
        inBatch(asked).map(([does, it]) => operation(does, { TableName, ...it })),
      )
    default:
      return []
  }
}

const VERBS: Readonly<Record<string, Operation['does']>> = {
  PutItem: 'puts',
  UpdateItem: 'updates',
  DeleteItem: 'deletes',
  ConditionCheckItem: 'checks',
  GetItem: 'reads',
}

function inBatch(asked: unknown): readonly (readonly [Operation['does'], Expressions])[] {
  if (Array.isArray(asked)) {
    const writes = asked as readonly { PutRequest?: Expressions; DeleteRequest?: Expressions }[]
    return writes.map(({ PutRequest, DeleteRequest = {} }) =>
      PutRequest === undefined ? (['deletes', DeleteRequest] as const) : ['puts', PutRequest],
    )
  }
  const { Keys = [] } = asked as { readonly Keys?: readonly Attributes[] }
  return Keys.map((Key) => ['reads', { Key }] as const)
}

function operation(does: Operation['does'], written: Expressions): Operation {
  const { TableName = '', Key, Item = {}, ConditionExpression = '' } = written
  const creates = does === 'puts' && /^attribute_not_exists\(#?\w+\)$/.test(ConditionExpression)
  return {
    does: creates ? 'creates' : does,
    table: tableNameIn(TableName),
    key: Key ?? Item,
    mixed: Key === undefined,
    ...changesIn(written),
    ...(does === 'puts' && { set: new Map(Object.entries(Item)) }),
    equal: pairsIn(ConditionExpression, /(#?\w+) = (:\w+)/g, written),
  }
}

const CLAUSE = /\b(SET|ADD|REMOVE|DELETE)\s+(.*?)(?=\s+(?:SET|ADD|REMOVE|DELETE)\s|$)/gs

function changesIn(written: Expressions): Pick<Operation, 'set' | 'added' | 'removed'> {
  const clauses = [...(written.UpdateExpression ?? '').matchAll(CLAUSE)]
  const of = (word: string): string =>
    clauses.flatMap(([, is, text = '']) => (is === word ? [text] : [])).join(', ')
  const removed = of('REMOVE').match(/#?[\w.]+/g) ?? []
  return {
    set: pairsIn(of('SET'), /(#?\w+) = (:\w+)/g, written),
    added: pairsIn(of('ADD'), /(#?\w+) (:\w+)/g, written),
    removed: new Set(removed.map((alias) => nameOf(alias, written))),
  }
}

function pairsIn(text: string, pattern: RegExp, written: Expressions): Values {
  return new Map(
    [...text.matchAll(pattern)].flatMap(([, alias = '', placeholder = '']) => {
      const value = written.ExpressionAttributeValues?.[placeholder]
      return value === undefined ? [] : [[nameOf(alias, written), value] as const]
    }),
  )
}

function nameOf(alias: string, { ExpressionAttributeNames = {} }: Expressions): string {
  return ExpressionAttributeNames[alias] ?? alias
}

function ofStatement(statement: PartiQlStatement): Operation {
  const { verb, table, equal, set, added, removed } = readStatement(statement)
  const does = STATEMENTS[verb] ?? 'reads'
  return {
    does,
    table: tableNameIn(table),
    key: Object.fromEntries(equal),
    mixed: true,
    set: does === 'creates' ? equal : set,
    added,
    removed,
    equal,
  }
}

const STATEMENTS: Readonly<Record<string, Operation['does']>> = {
  INSERT: 'creates',
  UPDATE: 'updates',
  DELETE: 'deletes',
}
