import type { Change } from './change.ts'
import type { Item } from './item.ts'
import { execute, type Statement } from './statements.ts'
import {
  keyOf,
  missing,
  read,
  type Table,
  tableOf,
  type Tables,
  type Units,
  write,
  type Written,
} from './table.ts'
import { ALWAYS, changeOf, testOf, type Texts } from './texts.ts'
import { transact, type TransactItem } from './transaction.ts'

export type Operation = (request: Request, tables: Tables, units: Units) => object

/** The fields of a request that are read. */
export interface Request extends Texts {
  readonly TableName?: string
  readonly Item?: Item
  readonly Key?: Item
  readonly ConsistentRead?: boolean
  readonly UpdateExpression?: string
  readonly ReturnValues?: string
  readonly ReturnValuesOnConditionCheckFailure?: string
  readonly RequestItems?: Readonly<
    Record<string, { readonly Keys: readonly Item[]; readonly ConsistentRead?: boolean }>
  >
  readonly Statements?: readonly Statement[]
  readonly TransactItems?: readonly TransactItem[]
}

/** Refused by its condition: HTTP 400 with the item, if it was asked for. */
export class Refused extends Error {
  readonly item: Item | undefined
  constructor(item: Item | undefined) {
    super('The conditional request failed')
    this.item = item
  }
}

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  PutItem(request, tables, units) {
    const table = tableOf(tables, request.TableName)
    const item = request.Item ?? missing('Item')
    answer(
      writeAs(table, keyOf(table, item), () => item, request, units),
      request,
    )
    return {}
  },
  UpdateItem(request, tables, units) {
    const table = tableOf(tables, request.TableName)
    const change = changeOf(request.UpdateExpression ?? missing('UpdateExpression'))
    const item = answer(
      writeAs(table, request.Key ?? missing('Key'), change, request, units),
      request,
    )
    return request.ReturnValues === 'ALL_NEW' ? { Attributes: item } : {}
  },
  GetItem({ TableName, Key = missing('Key'), ConsistentRead = false }, tables, units) {
    const item = read(tableOf(tables, TableName), Key, ConsistentRead, units)
    return item === undefined ? {} : { Item: item }
  },
  BatchGetItem({ RequestItems = {} }, tables, units) {
    const asked = Object.entries(RequestItems)
    atMost(
      100,
      asked.flatMap(([, { Keys }]) => Keys),
    )
    const found = asked.map(([name, { Keys, ConsistentRead = false }]) => {
      const table = tableOf(tables, name)
      const items = Keys.map((key) => read(table, key, ConsistentRead, units))
      return [name, items.filter((item) => item !== undefined)]
    })
    return { Responses: Object.fromEntries(found), UnprocessedKeys: {} }
  },
  BatchExecuteStatement({ Statements = [] }, tables, units) {
    atMost(25, Statements)
    return { Responses: Statements.map((statement) => execute(statement, tables, units)) }
  },
  TransactWriteItems({ TransactItems = [] }, tables, units) {
    atMost(100, TransactItems)
    transact(TransactItems, tables, units)
    return {}
  },
}

function writeAs(table: Table, key: Item, change: Change, request: Request, units: Units): Written {
  const { ConditionExpression: condition } = request
  const test = condition === undefined ? ALWAYS : testOf(condition)
  const names = request.ExpressionAttributeNames ?? {}
  const values = request.ExpressionAttributeValues ?? {}
  return write(table, key, { test, change }, { names, values }, units)
}

function answer(written: Written, { ReturnValuesOnConditionCheckFailure: show }: Request): Item {
  if (written.kind === 'applied') return written.item
  throw new Refused(show === 'ALL_OLD' ? written.item : undefined)
}

function atMost(most: number, entries: readonly unknown[]): void {
  if (entries.length > most)
    throw new Error(`the stub takes ${most} entries in a call, as DynamoDB does`)
}
