import * as DYNAMODB from '../../../../library/base/limits/dynamodb.ts'
import type { WireItem } from '../../../../library/base/limits/wireValue.ts'
import { type ParsedUpdate, readChange } from './expressions/change.ts'
import { type ParsedCondition, readCondition } from './expressions/condition.ts'
import {
  type Literal,
  readLiteral,
  resolve,
  unquotedToken,
  openSource,
  ownOf,
  readList,
  type Scope,
  type Source,
} from './expressions/path.ts'
import {
  catchRefusal,
  checkedLength,
  invalid,
  Refusal,
  refuseTwice,
  requiredMember,
} from './values/refusal.ts'
import { pick, readItemKey, readNewItem } from './schema.ts'
import { identityOf, type EngineTable, findTable, type Tables, type Meter } from './table.ts'
import { readValue } from './values/value.ts'
import { makeWrite, changed, type PendingWrite, refuseKeyChange } from './write.ts'

/**
 * One statement of PartiQL. Only INSERT, UPDATE and DELETE are known. A refused one does not show the item that refused
 * it: AWS was seen to do both, and a program that needs no item works with either.
 */
export interface StatementRequest {
  readonly Statement?: string
  readonly Parameters?: readonly unknown[]
}
export interface BatchRequest {
  readonly Statements?: readonly StatementRequest[]
}

interface Parsed {
  readonly table: string
  readonly source: Source
  /** `ALL NEW` or `ALL OLD`. */
  readonly returning: string | undefined
  readonly item?: (scope: Scope) => WireItem
  readonly change?: ParsedUpdate
  readonly where?: ParsedCondition
}

export function executeBatch(
  tables: Tables,
  { Statements = [] }: BatchRequest,
  meter: Meter,
): object {
  const prepared = checkedLength(Statements, DYNAMODB.batchStatements, 'statements').map(
    (request) => catchRefusal(() => intentIn(tables, request)),
  )
  refuseTwice(
    prepared.flatMap((each) => (each instanceof Refusal ? [] : identityOf(each.table, each.key))),
  )
  return { Responses: prepared.map((intent) => responseOf(intent, meter)) }
}

/** ExecuteStatement. */
export function execute(tables: Tables, request: StatementRequest, meter: Meter): object {
  const { Item: item } = made(intentIn(tables, request), meter)
  return { Items: item === undefined ? [] : [item] }
}

interface StatementIntent extends PendingWrite {
  readonly returning: string | undefined
  readonly isInsert: boolean
}

function responseOf(intent: StatementIntent | Refusal, meter: Meter): object {
  const answer = intent instanceof Refusal ? intent : catchRefusal(() => made(intent, meter))
  if (!(answer instanceof Refusal)) return answer
  const { message: Message, code } = answer
  if (code === 'ValidationException') return { Error: { Code: 'ValidationError', Message } }
  const TableName = intent instanceof Refusal ? undefined : intent.table.name
  return { Error: { Code: code.replace(/Exception$/, ''), Message }, TableName }
}

function made(
  intent: StatementIntent,
  meter: Meter,
): { readonly TableName: string; readonly Item?: WireItem } {
  const { table, before, returning, isInsert } = intent
  const after = catchRefusal(() => makeWrite(intent, meter))
  if (after instanceof Refusal && isInsert) {
    throw new Refusal('DuplicateItemException', 'Duplicate primary key exists in table')
  }
  if (after instanceof Refusal) throw after
  const item = returning === 'ALL OLD' ? before : after
  return { TableName: table.name, ...(returning && item && { Item: item }) }
}

function intentIn(tables: Tables, request: StatementRequest): StatementIntent {
  const { Statement, Parameters = [] } = request
  const parsed = parseStatement(requiredMember(Statement, 'statement'))
  if (parsed.source.values.size !== Parameters.length) {
    throw invalid("Number of parameters in request and statement don't match.")
  }
  const values = Parameters.map((value, nth) => [`?${nth}`, readValue(value)] as const)
  const scope: Scope = { item: undefined, names: {}, values: Object.fromEntries(values) }
  for (const check of parsed.source.checks) check(scope)
  const table = findTable(tables, parsed.table)
  const item = parsed.item && readNewItem(table.schema, parsed.item(scope))
  const key = (item && pick(item, table.schema.key)) ?? keyIn(table, parsed, scope)
  const before = table.get(key)
  const { change, where } = parsed
  if (change !== undefined) refuseKeyChange(table, change, scope)
  const isMet = where?.test({ ...scope, item: before }) ?? true
  const isDelete = item === undefined && change === undefined
  return {
    table,
    key,
    before,
    isInsert: item !== undefined,
    isShown: false,
    returning: parsed.returning,
    holds: before === undefined ? item !== undefined || isDelete : item === undefined && isMet,
    after: () => (change ? changed(table, key, before, { UpdateExpression: change, scope }) : item),
  }
}

/** The WHERE of a statement names one item: it compares each attribute of the key with a value. */
function keyIn(table: EngineTable, { where }: Parsed, scope: Scope): WireItem {
  const compared = new Map(
    (where?.conjuncts ?? []).flatMap((one) =>
      one?.sign === '=' ? [[resolve(one.path, scope)[0], one.values[0]?.(scope)] as const] : [],
    ),
  )
  const key = table.schema.key.map(({ name }) => [name, compared.get(name)] as const)
  if (key.some(([, value]) => value === undefined)) {
    throw invalid('Where clause does not contain a mandatory equality on all key attributes')
  }
  return readItemKey(table.schema, Object.fromEntries(key))
}

const known = new Map<string, Parsed>()
const MOST_KNOWN = 2_000

/** @throws Refusal when it cannot be read */
export function parseStatement(text: string): Parsed {
  const before = known.get(text)
  if (before !== undefined) return before
  if (text.length > DYNAMODB.statementLength) throw invalid('Statement is too long')
  const source = openSource('Statement', text, true)
  const read = ownOf(VERBS, source.peek().toUpperCase())
  if (read === undefined) throw source.unexpected()
  source.take()
  const parsed = { ...read(source), source, returning: readReturning(source) }
  if (source.peek() !== '') throw source.unexpected()
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(text, parsed)
  return parsed
}

const VERBS: Readonly<Record<string, (source: Source) => Omit<Parsed, 'source' | 'returning'>>> = {
  INSERT(source) {
    source.expect('INTO')
    const table = unquotedToken(source.take())
    source.expect('VALUE')
    return { table, item: readDocument(source) }
  },
  UPDATE(source) {
    const table = unquotedToken(source.take())
    const change = readChange(source)
    source.expect('WHERE')
    return { table, change, where: readCondition(source) }
  },
  DELETE(source) {
    source.expect('FROM')
    const table = unquotedToken(source.take())
    source.expect('WHERE')
    return { table, where: readCondition(source) }
  },
}

function readDocument(source: Source): (scope: Scope) => WireItem {
  source.expect('{')
  const members = readList(source, readMember)
  source.expect('}')
  return (scope) => Object.fromEntries(members.map(([name, value]) => [name, value(scope) ?? {}]))
}

function readMember(source: Source): readonly [string, Literal] {
  const name = unquotedToken(source.take())
  source.expect(':')
  const value = readLiteral(source)
  if (value === undefined) throw source.unexpected()
  return [name, value]
}

function readReturning(source: Source): string | undefined {
  if (!source.takeIf('RETURNING')) return undefined
  source.expect('ALL')
  const which = source.takeIf('OLD') ? 'ALL OLD' : 'ALL NEW'
  if (which === 'ALL NEW') source.expect('NEW')
  source.expect('*')
  return which
}
