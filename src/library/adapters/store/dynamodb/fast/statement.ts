import * as DYNAMODB from '../../../../base/limits/dynamodb.ts'
import type { BatchStatementRequest, AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Item, StoreKey, Update } from '../../../../protocol/store/store.ts'
import { IS_OF_OUR_FORMAT } from '../../../../protocol/store/format.ts'
import { toAttribute, toAttributeMap } from '../../../../protocol/store/wire/attributes.ts'
import { conditionText, type Dialect } from '../../../../protocol/store/wire/expression.ts'
import type { PartiQl } from '../calls/table.ts'

export type Statement = BatchStatementRequest & {
  readonly Statement: string
  readonly Parameters: AttributeValue[]
}

/** Names that can be quoted. To some engines, a dot or bracket inside quotes is a path. */
const PLAIN_NAME = /^[\w:#-]+$/

/** @returns undefined when the item has to be written by PutItem */
export function insertStatement(table: string, item: Item & StoreKey): Statement | undefined {
  const attributes = toAttributeMap(item)
  const names = Object.keys(attributes)
  if (!names.every((name) => PLAIN_NAME.test(name))) return undefined
  return shortEnough({
    Statement: `INSERT INTO "${table}" VALUE {'${names.join("':?,'")}':?}`,
    Parameters: Object.values(attributes),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  })
}

/**
 * Updates of the same shape have the same text. Undefined: the update has to be made by UpdateItem. The item is asked for only if
 * the caller reads it, because items double the client's work. AWS documents a SET and a REMOVE for each attribute. Another
 * engine may read only one SET and one REMOVE, each with a list. AWS does not read that form and never gets it, because it is
 * tried only after the documented form was not understood, with RETURNING and without.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.update.html
 */
export function updateStatement(
  table: string,
  update: Update,
  { unreadable }: PartiQl,
): Statement | undefined {
  for (const separators of [REPEATED, LISTED]) {
    const plain = updateText(table, update, separators)
    if (plain === undefined) return undefined
    const forms = update.needsNoItem ? [plain] : [returning(plain), plain]
    const readable = forms.find(({ Statement: text }) => !unreadable.has(text))
    if (readable !== undefined) return shortEnough(readable)
  }
  return undefined
}

const RETURNING = ' RETURNING ALL NEW *'

function returning(plain: Statement): Statement {
  return { ...plain, Statement: plain.Statement + RETURNING }
}

/** Whether the answer is to have the item after the write. Some engines do not know the clause, and some give nothing for it. */
export function asksForItem({ Statement: text }: Statement): boolean {
  return text.endsWith(RETURNING)
}

/** Between two attributes that are set, and between two that are removed. */
type Separators = readonly [set: string, remove: string]
const REPEATED: Separators = [' SET ', ' REMOVE ']
const LISTED: Separators = [', ', ', ']

function updateText(
  table: string,
  { key, set = {}, remove = [], addTo, where }: Update,
  [nextSet, nextRemove]: Separators,
): Statement | undefined {
  const { dialect, parameters, names } = partiQl()
  const { name, value } = dialect
  const sets = Object.entries(set).map(([field, to]) => `${name(field)}=${value(to, field)}`)
  if (addTo !== undefined) {
    const field = name(addTo.field)
    sets.push(`${field}=set_add(${field}, ${value(new Set([addTo.member]), addTo.field)})`)
  }
  const removes = remove.map(name)
  if (sets.length + removes.length === 0) return undefined
  const clauses = [
    sets.length > 0 ? `SET ${sets.join(nextSet)}` : '',
    removes.length > 0 ? `REMOVE ${removes.join(nextRemove)}` : '',
  ].filter((clause) => clause !== '')
  // @protects a statement changes no item of another format
  // @without where
  const needed = [IS_OF_OUR_FORMAT, ...where]
  const conditions = [
    `"pk"=${value(key.pk, 'pk')}`,
    `"sk"=${value(key.sk, 'sk')}`,
    ...needed.map((condition) => conditionText(condition, dialect)),
  ]
  if (!names.every((one) => PLAIN_NAME.test(one))) return undefined
  return {
    Statement: `UPDATE "${table}" ${clauses.join(' ')} WHERE ${conditions.join(' AND ')}`,
    Parameters: parameters,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }
}

/** A longer statement has to be sent as a call of its own. */
function shortEnough(statement: Statement): Statement | undefined {
  return statement.Statement.length <= DYNAMODB.statementLength ? statement : undefined
}

function partiQl(): { dialect: Dialect; parameters: AttributeValue[]; names: string[] } {
  const parameters: AttributeValue[] = []
  const names: string[] = []
  const dialect: Dialect = {
    name: (field) => {
      names.push(field)
      return `"${field}"`
    },
    value: (value) => {
      parameters.push(toAttribute(value))
      return '?'
    },
    exists: (name) => `${name} IS NOT MISSING`,
    absent: (name) => `${name} IS MISSING`,
  }
  return { dialect, parameters, names }
}
