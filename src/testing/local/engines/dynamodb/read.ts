import * as DYNAMODB from '../../../../library/base/limits/dynamodb.ts'
import type { WireItem } from '../../../../library/base/limits/wireValue.ts'
import { type BoundExpressions, bind } from './expressions/bind.ts'
import { project } from './expressions/path.ts'
import { readItemKey, wireItemSize } from './schema.ts'
import { identityOf, findTable, type Tables, charge, type Meter, readUnits } from './table.ts'
import type { TransactRequest } from './transaction.ts'
import { checkedLength, refuseTwice } from './values/refusal.ts'
import type { WriteRequest } from './write.ts'

interface GetRequest extends WriteRequest {
  readonly ConsistentRead?: boolean
}

/** @param units those of a read of so many bytes */
export function get(
  tables: Tables,
  request: GetRequest,
  meter: Meter,
  units: (bytes: number) => number = (bytes) => readUnits(bytes, request.ConsistentRead === true),
): { readonly Item?: WireItem } {
  const bound = bind(request)
  const table = findTable(tables, request.TableName)
  const item = table.get(readItemKey(table.schema, request.Key))
  charge(meter, table, units(item === undefined ? 0 : wireItemSize(item)))
  return item === undefined ? {} : { Item: projected(item, bound) }
}

export function projected(
  item: WireItem,
  { ProjectionExpression: paths, scope }: Pick<BoundExpressions, 'ProjectionExpression' | 'scope'>,
): WireItem {
  return paths === undefined ? item : project(item, paths(scope))
}

export function transactGet(
  tables: Tables,
  { TransactItems = [] }: TransactRequest,
  meter: Meter,
): object {
  const entries = checkedLength(TransactItems, DYNAMODB.transactionItems, 'transactItems')
  const Responses = entries.map(({ Get = {} }) =>
    get(tables, Get, meter, (bytes) => 2 * readUnits(bytes, true)),
  )
  return { Responses }
}

interface BatchOfKeys extends Omit<WriteRequest, 'Key'> {
  readonly Keys?: readonly unknown[]
}

export function batchGet(
  tables: Tables,
  asked: Readonly<Record<string, BatchOfKeys>>,
  meter: Meter,
): object {
  const requests = Object.entries(asked).flatMap(([TableName, { Keys = [], ...more }]) =>
    Keys.map((Key) => ({ ...more, TableName, Key })),
  )
  checkedLength(requests, DYNAMODB.batchGetKeys, 'requestItems')
  refuseTwice(
    requests.map(({ TableName, Key }) => {
      const table = findTable(tables, TableName)
      return identityOf(table, readItemKey(table.schema, Key))
    }),
  )
  const found = Object.keys(asked).map((name) => {
    const own = requests.filter(({ TableName }) => TableName === name)
    return [name, own.flatMap((request) => get(tables, request, meter).Item ?? [])] as const
  })
  return { Responses: Object.fromEntries(found), UnprocessedKeys: {} }
}
