import * as DYNAMODB from '../../../../library/base/limits/dynamodb.ts'
import type { WireItem } from '../../../../library/base/limits/wireValue.ts'
import { type BoundExpressions, bind, type Texts } from './expressions/bind.ts'
import type { ParsedUpdate } from './expressions/change.ts'
import { project, type Scope } from './expressions/path.ts'
import {
  checkedLength,
  invalid,
  invalidValue,
  Refusal,
  refuseTwice,
  requiredMember,
} from './values/refusal.ts'
import { checkItemLimits, pick, readItemKey, readNewItem } from './schema.ts'
import {
  identityOf,
  type EngineTable,
  findTable,
  type Tables,
  charge,
  indexUnits,
  type Meter,
  writeUnits,
} from './table.ts'

/** One write of a request, or one action of a transaction. */
export interface WriteRequest extends Texts {
  readonly TableName?: string
  readonly Key?: unknown
  readonly Item?: unknown
  readonly ReturnValues?: string
  readonly ReturnValuesOnConditionCheckFailure?: string
}

export type Action = 'Put' | 'Update' | 'Delete' | 'ConditionCheck'

/** A write that fits its table, and was not made yet. */
export interface PendingWrite {
  readonly table: EngineTable
  readonly key: WireItem
  readonly before: WireItem | undefined
  /** Whether its condition is met. */
  readonly holds: boolean
  /** To show the item, if the condition is not met. */
  readonly isShown: boolean
  /** @throws Refusal when the item cannot be changed so */
  after(): WireItem | undefined
}

export function intentOf(tables: Tables, action: Action, request: WriteRequest): PendingWrite {
  const bound = bind(request)
  const table = findTable(tables, request.TableName)
  const { schema } = table
  const item = action === 'Put' ? readNewItem(schema, request.Item) : undefined
  const key = (item && pick(item, schema.key)) ?? readItemKey(schema, request.Key)
  const { UpdateExpression: change } = bound
  if (change !== undefined) refuseKeyChange(table, change, bound.scope)
  const before = table.get(key)
  return {
    table,
    key,
    before,
    holds: bound.ConditionExpression?.test({ ...bound.scope, item: before }) ?? true,
    isShown: request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD',
    after() {
      if (action === 'Update') return changed(table, key, before, bound)
      return action === 'ConditionCheck' ? before : item
    },
  }
}

export function refuseKeyChange(
  table: EngineTable,
  change: ParsedUpdate,
  scope: Pick<Scope, 'names'>,
): void {
  const names = table.schema.key.map((part) => part.name)
  for (const [name] of change.paths(scope)) {
    if (!names.includes(String(name))) continue
    throw invalidValue(`Cannot update attribute ${name}. This attribute is part of the key`)
  }
}

/**
 * The item after an update, which makes one that is not there, unless all that it does is remove.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LegacyConditionalParameters.AttributeUpdates.html
 */
export function changed(
  { schema }: EngineTable,
  key: WireItem,
  before: WireItem | undefined,
  { UpdateExpression: change, scope }: Pick<BoundExpressions, 'UpdateExpression' | 'scope'>,
): WireItem | undefined {
  if (before === undefined && change?.onlyRemoves) return undefined
  const item = before ?? key
  const after = change === undefined ? item : change.apply({ ...scope, item })
  checkItemLimits(schema, after, 'Item size to update has exceeded the maximum allowed size')
  return after
}

/** @returns the item after it. @throws Refusal when the condition is not met */
export function makeWrite(intent: PendingWrite, meter: Meter): WireItem | undefined {
  const { table, before, holds, isShown } = intent
  if (!holds) {
    charge(meter, table, writeUnits(before, undefined))
    const shown = isShown && before ? { Item: before } : {}
    throw new Refusal('ConditionalCheckFailedException', 'The conditional request failed', shown)
  }
  const after = intent.after()
  charge(meter, table, writeUnits(before, after))
  make(intent, after, meter)
  return after
}

/** Also in a transaction an index is charged once: its entries follow later. */
export function make(
  { table, before }: Pick<PendingWrite, 'table' | 'before'>,
  after: WireItem | undefined,
  meter: Meter,
): void {
  for (const index of table.schema.indexes) charge(meter, table, indexUnits(index, before, after))
  if (before !== after) table.replace(before, after)
}

/** A PutItem, an UpdateItem or a DeleteItem. */
export function write(tables: Tables, action: Action, request: WriteRequest, meter: Meter): object {
  const { ReturnValues: asked = 'NONE' } = request
  if (action !== 'Update' && asked !== 'NONE' && asked !== 'ALL_OLD') {
    throw invalid('1 validation error detected: ReturnValues can only be ALL_OLD or NONE')
  }
  const intent = intentOf(tables, action, request)
  const after = makeWrite(intent, meter)
  const Attributes = returned(asked, intent.before, after, request)
  return Attributes === undefined ? {} : { Attributes }
}

function returned(
  asked: string,
  before: WireItem | undefined,
  after: WireItem | undefined,
  request: WriteRequest,
): WireItem | undefined {
  const item = asked.endsWith('_NEW') ? after : before
  if (asked === 'NONE' || item === undefined) return undefined
  if (!asked.startsWith('UPDATED')) return item
  const { UpdateExpression: change, scope } = bind(request)
  const part = project(item, requiredMember(change, 'updateExpression').paths(scope))
  return Object.keys(part).length === 0 ? undefined : part
}

interface BatchedWrite {
  readonly PutRequest?: { readonly Item?: unknown }
  readonly DeleteRequest?: { readonly Key?: unknown }
}

export function batchWrite(
  tables: Tables,
  asked: Readonly<Record<string, readonly BatchedWrite[]>>,
  meter: Meter,
): object {
  const intents = Object.entries(asked).flatMap(([TableName, writes]): readonly PendingWrite[] =>
    writes.map(({ PutRequest, DeleteRequest }) => {
      if ((PutRequest === undefined) === (DeleteRequest === undefined)) {
        throw invalid('An entry of RequestItems has exactly one of PutRequest and DeleteRequest')
      }
      return PutRequest
        ? intentOf(tables, 'Put', { ...PutRequest, TableName })
        : intentOf(tables, 'Delete', { ...DeleteRequest, TableName })
    }),
  )
  checkedLength(intents, DYNAMODB.batchStatements, 'requestItems')
  refuseTwice(intents.map(({ table, key }) => identityOf(table, key)))
  for (const intent of intents) makeWrite(intent, meter)
  return { UnprocessedItems: {} }
}
