import { type Change, compileChange } from './change.ts'
import { compileCondition, type Test } from './condition.ts'
import type { Attribute, Item } from './item.ts'
import { keyOf, read, type Table, type Units, write, type Written } from './table.ts'

export type Tables = ReadonlyMap<string, Table>
export type Operation = (request: Request, tables: Tables, units: Units) => object

/** The fields of a request that are read. */
interface Request {
  readonly TableName?: string
  readonly Item?: Item
  readonly Key?: Item
  readonly ConsistentRead?: boolean
  readonly ConditionExpression?: string
  readonly UpdateExpression?: string
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>
  readonly ExpressionAttributeValues?: Readonly<Record<string, Attribute>>
  readonly ReturnValues?: string
  readonly ReturnValuesOnConditionCheckFailure?: string
  readonly RequestItems?: Readonly<
    Record<string, { readonly Keys: readonly Item[]; readonly ConsistentRead?: boolean }>
  >
  readonly Statements?: readonly Statement[]
}

interface Statement {
  readonly Statement: string
  readonly Parameters?: readonly Attribute[]
}

/** Refused by its condition: HTTP 400 with the item, if it was asked for. */
export class Refused extends Error {
  readonly item: Item | undefined
  constructor(item: Item | undefined) {
    super('The conditional request failed')
    this.item = item
  }
}

const ALWAYS: Test = () => true

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

const INSERT = /^INSERT INTO "([^"]+)" VALUE \{(.+)\}$/
const UPDATE = /^UPDATE "([^"]+)" (.+) WHERE (.+?)( RETURNING ALL NEW \*)?$/

/**
 * One answer under HTTP 200. A refused statement does not show the item that refused it, although the reference says so:
 * nubo-db/dynoxide has it captured from AWS, issue #184.
 */
function execute(
  { Statement: text, Parameters = [] }: Statement,
  tables: Tables,
  units: Units,
): object {
  const [, into, names] = INSERT.exec(text) ?? []
  if (into !== undefined && names !== undefined) {
    return insert(into, tableOf(tables, into), namesIn(names), Parameters, units)
  }
  return update(text, tables, Parameters, units)
}

function insert(
  name: string,
  table: Table,
  names: readonly string[],
  parameters: readonly Attribute[],
  units: Units,
): object {
  const item = Object.fromEntries(
    names.map((each, nth) => [each, parameters[nth] ?? missing(each)]),
  )
  const isNew: Test = ({ item: before }) => before === undefined
  const key = keyOf(table, item)
  const written = write(table, key, { test: isNew, change: () => item }, NOTHING, units)
  return responseOf(name, written, 'DuplicateItem', false)
}

const NOTHING = { names: {}, values: {} }

function update(
  text: string,
  tables: Tables,
  parameters: readonly Attribute[],
  units: Units,
): object {
  const [, name, changes, where, returning] =
    UPDATE.exec(numbered(text)) ?? missing('a known statement')
  if (name === undefined || changes === undefined || where === undefined) throw new Error(text)
  const table = tableOf(tables, name)
  const values = Object.fromEntries(parameters.map((value, nth) => [`?${nth}`, value]))
  const key = Object.fromEntries(
    table.key.map((part) => [part, values[keyIn(where, part)] ?? missing(part)]),
  )
  const test = testOf(where)
  const change = changeOf(changes)
  const written = write(table, key, { test, change }, { names: {}, values }, units)
  return responseOf(name, written, 'ConditionalCheckFailed', returning !== undefined)
}

function responseOf(TableName: string, written: Written, Code: string, returning: boolean): object {
  if (written.kind === 'refused') return { TableName, Error: { Code, Message: 'refused' } }
  return returning ? { TableName, Item: written.item } : { TableName }
}

/** Each text is read once: a peer sends the same few all the time. */
function remember<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>()
  return (text) => {
    const known = made.get(text) ?? make(text)
    made.set(text, known)
    return known
  }
}

const testOf = remember(compileCondition)
const changeOf = remember(compileChange)
const namesIn = remember((list) => [...list.matchAll(/'([^']+)':\?/g)].map(([, name = '']) => name))
const numbered = remember((text) => {
  let count = 0
  return text.replaceAll('?', () => `?${count++}`)
})

function keyIn(where: string, part: string): string {
  return new RegExp(`"${part}" ?= ?(\\?\\d+)`).exec(where)?.[1] ?? missing(part)
}

function tableOf(tables: Tables, name: string | undefined): Table {
  return tables.get(name ?? '') ?? missing(`a table ${name}`)
}

function atMost(most: number, entries: readonly unknown[]): void {
  if (entries.length > most)
    throw new Error(`the stub takes ${most} entries in a call, as DynamoDB does`)
}

function missing(what: string): never {
  throw new Error(`the stub expected ${what}`)
}
