import type { AttributeValue } from '@aws-sdk/client-dynamodb'

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

/** The table name in the name or ARN of a table or an index. */
export function tableNameIn(name: string): string {
  return /^arn:[^/]*:table\/([^/]+)/.exec(name)?.[1] ?? name
}

interface PartiQlStatement {
  readonly Statement?: string | undefined
  readonly Parameters?: readonly AttributeValue[] | undefined
}

/** The parts of a PartiQL statement that identify its item. */
interface ParsedStatement {
  readonly verb: string
  readonly table: string
  /** Attributes that equal a parameter, in the new item or in the conditions. */
  readonly equal: ReadonlyMap<string, AttributeValue>
  /** Of an UPDATE: attributes that are set to a parameter, sets to which one is added, and attributes that are removed. */
  readonly set: ReadonlyMap<string, AttributeValue>
  readonly added: ReadonlyMap<string, AttributeValue>
  readonly removed: ReadonlySet<string>
}

const TOKEN = /"((?:[^"]|"")*)"|'((?:[^']|'')*)'|[?]|[A-Za-z_][\w]*|[^\s]/gu

/** Reads parameters only; a key that is a literal in the text is not recognised. */
function readStatement({ Statement = '', Parameters = [] }: PartiQlStatement): ParsedStatement {
  const tokens = [...Statement.matchAll(TOKEN)]
  const words = tokens.map(([token]) => token)
  const verb = (words[0] ?? '').toUpperCase()
  const isInsert = verb === 'INSERT'
  const begins = isInsert ? 0 : words.findIndex((word) => word.toUpperCase() === 'WHERE')
  const [equal, set, added] = [newValues(), newValues(), newValues()]
  let parameter = 0
  for (const [at, word] of words.entries()) {
    if (word !== '?') continue
    const value = Parameters[parameter++]
    const name = nameIn(tokens[at - 2])
    if (value === undefined || begins < 0) continue
    if (at < begins) {
      if (words[at - 1] === '=') set.set(name, value)
      if (words[at - 1] === ',') added.set(name, value)
      continue
    }
    if (words[at - 1] === (isInsert ? ':' : '=') && !equal.has(name)) equal.set(name, value)
  }
  const tableAt = verb === 'UPDATE' ? 1 : words.findIndex((word) => /^(INTO|FROM)$/i.test(word)) + 1
  const removed = new Set(removedNames(tokens.slice(0, Math.max(begins, 0))))
  return { verb, table: nameIn(tokens[tableAt]), equal, set, added, removed }
}

function newValues(): Map<string, AttributeValue> {
  return new Map()
}

/** `REMOVE "a" REMOVE "b"`, or `REMOVE "a", "b"`. */
function removedNames(tokens: readonly RegExpExecArray[]): readonly string[] {
  const first = tokens.findIndex(([word]) => word === 'REMOVE')
  if (first < 0) return []
  return tokens.slice(first).flatMap((token) => token[1] ?? [])
}

function nameIn(token: RegExpExecArray | undefined): string {
  return token?.[1] ?? token?.[2] ?? token?.[0] ?? ''
}
