import type { Test } from './condition.ts'
import type { Attribute } from './item.ts'
import {
  keyOf,
  missing,
  type Table,
  tableOf,
  type Tables,
  type Units,
  write,
  type Written,
} from './table.ts'
import { changeOf, remember, testOf } from './texts.ts'

export interface Statement {
  readonly Statement: string
  readonly Parameters?: readonly Attribute[]
}

const INSERT = /^INSERT INTO "([^"]+)" VALUE \{(.+)\}$/
const UPDATE = /^UPDATE "([^"]+)" (.+) WHERE (.+?)( RETURNING ALL NEW \*)?$/

/**
 * One answer under HTTP 200. A refused statement does not show the item that refused it, although the reference says so:
 * nubo-db/dynoxide has it captured from AWS, issue #184. An applied one shows what it has written if it asks for it, at no further
 * cost: captured in paritysuite/dynamodb-conformance, pull request #103.
 */
export function execute(
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
  return responseOf(name, written, 'DuplicateItem')
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
  const response = responseOf(name, written, 'ConditionalCheckFailed')
  const isAsked = returning !== undefined && written.kind === 'applied'
  return isAsked ? { ...response, Item: written.item } : response
}

function responseOf(TableName: string, { kind }: Written, Code: string): object {
  return kind === 'applied' ? { TableName } : { TableName, Error: { Code, Message: 'refused' } }
}

const namesIn = remember((list) => [...list.matchAll(/'([^']+)':\?/g)].map(([, name = '']) => name))
const numbered = remember((text) => {
  let count = 0
  return text.replaceAll('?', () => `?${count++}`)
})

function keyIn(where: string, part: string): string {
  return new RegExp(`"${part}" ?= ?(\\?\\d+)`).exec(where)?.[1] ?? missing(part)
}
