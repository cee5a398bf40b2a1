import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { parseExpression, type Texts } from '../engines/dynamodb/expressions/bind.ts'
import type { ParsedUpdate } from '../engines/dynamodb/expressions/change.ts'
import type { ParsedCondition } from '../engines/dynamodb/expressions/condition.ts'
import {
  type Literal,
  type Path,
  resolve,
  type Scope,
} from '../engines/dynamodb/expressions/path.ts'
import { parseStatement, type StatementRequest } from '../engines/dynamodb/statement.ts'
import { tableNameIn } from '../engines/dynamodb/table.ts'
import { catchRefusal, Refusal } from '../engines/dynamodb/values/refusal.ts'

export type ItemAttributes = Readonly<Record<string, AttributeValue>>
type Values = ReadonlyMap<string, AttributeValue>

/** What one request does to one item, in whichever of DynamoDB's languages it is written. */
export interface ItemOperation {
  readonly does: 'reads' | 'creates' | 'puts' | 'updates' | 'deletes' | 'checks'
  readonly table: string
  readonly key: ItemAttributes
  /** `key` may hold other attributes: those of an item that is put, or the conditions of a statement. */
  readonly mixed: boolean
  readonly set: Values
  readonly added: Values
  readonly removed: ReadonlySet<string>
  /** Attributes that have to equal a value. */
  readonly equal: Values
}

interface Expressions extends Texts {
  readonly TableName?: string
  readonly Key?: ItemAttributes
  readonly Item?: ItemAttributes
  readonly ExpressionAttributeValues?: ItemAttributes
}
interface Input extends Expressions, StatementRequest {
  readonly TransactItems?: readonly Readonly<Record<string, Expressions | undefined>>[]
  readonly Statements?: readonly StatementRequest[]
  readonly RequestItems?: Readonly<Record<string, unknown>>
}

/** The operations of a DynamoDB call on items, in their order; none for Query, Scan and everything else. */
export function operationsOf(action: string, input: Input): readonly ItemOperation[] {
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

const VERBS: Readonly<Record<string, ItemOperation['does']>> = {
  PutItem: 'puts',
  UpdateItem: 'updates',
  DeleteItem: 'deletes',
  ConditionCheckItem: 'checks',
  GetItem: 'reads',
}

function inBatch(asked: unknown): readonly (readonly [ItemOperation['does'], Expressions])[] {
  if (Array.isArray(asked)) {
    const writes = asked as readonly { PutRequest?: Expressions; DeleteRequest?: Expressions }[]
    return writes.map(({ PutRequest, DeleteRequest = {} }) =>
      PutRequest === undefined ? (['deletes', DeleteRequest] as const) : ['puts', PutRequest],
    )
  }
  const { Keys = [] } = asked as { readonly Keys?: readonly ItemAttributes[] }
  return Keys.map((Key) => ['reads', { Key }] as const)
}

function operation(does: ItemOperation['does'], written: Expressions): ItemOperation {
  const {
    TableName = '',
    Key,
    Item = {},
    ConditionExpression = '',
    UpdateExpression = '',
  } = written
  const scope = scopeOf(written.ExpressionAttributeNames, written.ExpressionAttributeValues)
  const creates = does === 'puts' && /^attribute_not_exists\(#?\w+\)$/.test(ConditionExpression)
  const condition = catchRefusal(() => parseExpression('ConditionExpression', ConditionExpression))
  const change = catchRefusal(() => parseExpression('UpdateExpression', UpdateExpression))
  return {
    does: creates ? 'creates' : does,
    table: tableNameIn(TableName),
    key: Key ?? Item,
    mixed: Key === undefined,
    ...changesIn(change instanceof Refusal ? undefined : change.expression, scope),
    ...(does === 'puts' && { set: new Map(Object.entries(Item)) }),
    equal: equalIn(condition instanceof Refusal ? undefined : condition.expression, scope),
  }
}

/** What a PartiQL statement does. Nothing is known of one that the local engine cannot parse. */
function ofStatement({ Statement = '', Parameters = [] }: StatementRequest): ItemOperation {
  const parsed = catchRefusal(() => parseStatement(Statement))
  const { table, item, change, where }: Partial<ParsedStatement> =
    parsed instanceof Refusal ? {} : parsed
  const values = Parameters.map((value, nth) => [`?${nth}`, value])
  const scope = scopeOf({}, Object.fromEntries(values) as ItemAttributes)
  const made = item && new Map(Object.entries(item(scope) as ItemAttributes))
  const equal = made ?? equalIn(where, scope)
  const changes = change ? 'updates' : where ? 'deletes' : 'reads'
  return {
    does: made ? 'creates' : changes,
    table: tableNameIn(table ?? ''),
    key: Object.fromEntries(equal),
    mixed: true,
    ...changesIn(change, scope),
    ...(made && { set: made }),
    equal,
  }
}

type ParsedStatement = ReturnType<typeof parseStatement>

function scopeOf(names: Scope['names'] = {}, values: ItemAttributes = {}): Scope {
  return { item: undefined, names, values: values }
}

function changesIn(
  { actions = [] }: Partial<ParsedUpdate> = {},
  scope: Scope,
): Pick<ItemOperation, 'set' | 'added' | 'removed'> {
  const removed = actions.filter(({ removes }) => removes)
  return {
    set: valuesOf(actions, ({ set }) => set, scope),
    added: valuesOf(actions, ({ added }) => added, scope),
    removed: new Set(removed.map(({ path }) => nameOf(path, scope))),
  }
}

function equalIn({ conjuncts = [] }: Partial<ParsedCondition> = {}, scope: Scope): Values {
  const equal = conjuncts.flatMap((one) => (one?.sign === '=' ? one : []))
  return valuesOf(equal, ({ values: [value] }) => value, scope)
}

function valuesOf<Part extends { readonly path: Path }>(
  parts: readonly Part[],
  literalOf: (part: Part) => Literal | undefined,
  scope: Scope,
): Values {
  const values = parts.flatMap((part) => {
    const value = literalOf(part)?.(scope) as AttributeValue | undefined
    return value === undefined ? [] : [[nameOf(part.path, scope), value] as const]
  })
  return new Map(values)
}

function nameOf(path: Path, scope: Scope): string {
  return String(resolve(path, scope)[0])
}
