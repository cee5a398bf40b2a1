import { messageOf } from '../../../../library/base/errors.ts'
import { systemClock } from '../../../../library/base/clock.ts'
import { readRequest } from './readRequest.ts'
import { breaksRule, Refusal, invalid, requiredMember } from './values/refusal.ts'
import { type PageRequest, query, scan } from './query.ts'
import { batchGet, get, transactGet } from './read.ts'
import { type BatchRequest, execute, executeBatch, type StatementRequest } from './statement.ts'
import {
  makeTable,
  tableNameIn,
  findTable,
  type EngineTable,
  type Tables,
  type Meter,
} from './table.ts'
import type { TableInput } from './schema.ts'
import { openTokens, transact, type TransactRequest } from './transaction.ts'
import { batchWrite, write, type WriteRequest } from './write.ts'

/** What a request may hold. The SDK has checked the types of members. */
type Request = WriteRequest &
  PageRequest &
  TransactRequest &
  BatchRequest &
  StatementRequest & {
    readonly RequestItems?: Readonly<Record<string, never>>
    readonly ReturnConsumedCapacity?: string
    readonly ExclusiveStartTableName?: string
    readonly TimeToLiveSpecification?: TimeToLive
  }

interface TimeToLive {
  readonly Enabled?: boolean
  readonly AttributeName?: string
}

type Operation = (request: Request, meter: Meter) => object

/** DynamoDB's operations on tables that are kept in memory. @throws Refusal */
export function openOperations(): (operation: string, request: Request, meter?: Meter) => object {
  const tables: Tables = new Map()
  const onlyOnce = openTokens(systemClock.now)
  const operations: Readonly<Record<string, Operation>> = {
    ...tableOperations(tables),
    PutItem: (request, meter) => write(tables, 'Put', request, meter),
    UpdateItem: (request, meter) => write(tables, 'Update', request, meter),
    DeleteItem: (request, meter) => write(tables, 'Delete', request, meter),
    GetItem: (request, meter) => get(tables, request, meter),
    BatchGetItem: ({ RequestItems }, meter) => batchGet(tables, RequestItems ?? {}, meter),
    BatchWriteItem: ({ RequestItems }, meter) => batchWrite(tables, RequestItems ?? {}, meter),
    Query: (request, meter) => query(tables, request, meter),
    Scan: (request, meter) => scan(tables, request, meter),
    TransactWriteItems(request, meter) {
      onlyOnce(request, () => transact(tables, request, meter))
      return {}
    },
    TransactGetItems: (request, meter) => transactGet(tables, request, meter),
    BatchExecuteStatement: (request, meter) => executeBatch(tables, request, meter),
    ExecuteStatement: (request, meter) => execute(tables, request, meter),
  }
  return (name, request, meter = new Map()) => {
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined
    if (operation === undefined) throw new Refusal('UnknownOperationException', '')
    const legacy = LEGACY.find((member) => Object.hasOwn(request, member))
    if (legacy !== undefined) throw invalid(`${legacy} is not known here: use expressions`)
    const answer = operation(request, meter)
    const { ReturnConsumedCapacity: asked = 'NONE' } = request
    return asked === 'NONE' ? answer : { ...answer, ConsumedCapacity: consumed(name, meter) }
  }
}

/** What expressions have replaced. To ignore it would write without its condition. */
const LEGACY = [
  'AttributesToGet',
  'AttributeUpdates',
  'Expected',
  'KeyConditions',
  'QueryFilter',
  'ScanFilter',
]

function consumed(operation: string, meter: Meter): object | undefined {
  const all = [...meter].map(([TableName, CapacityUnits]) => ({ TableName, CapacityUnits }))
  return /^(Batch|Transact)/.test(operation) ? all : all[0]
}

function tableOperations(tables: Tables): Readonly<Record<string, Operation>> {
  const named = ({ TableName: name }: Request): EngineTable =>
    findTable(tables, name, `: Table: ${tableNameIn(name ?? '')} not found`)
  return {
    CreateTable(request) {
      const name = requiredMember(request.TableName, 'tableName')
      if (tables.has(name)) {
        throw new Refusal('ResourceInUseException', `Table already exists: ${name}`)
      }
      const table = makeTable(request as unknown as TableInput)
      tables.set(name, table)
      return { TableDescription: table.describe() }
    },
    DescribeTable: (request) => ({ Table: named(request).describe() }),
    DeleteTable(request) {
      const table = named(request)
      tables.delete(table.name)
      return { TableDescription: { ...table.describe(), TableStatus: 'DELETING' } }
    },
    ListTables({ Limit = MOST_LISTED, ExclusiveStartTableName: from = '' }) {
      if (Limit < 1 || Limit > MOST_LISTED) {
        throw breaksRule(`Value '${Limit}' at 'limit'`, `Member must be from 1 to ${MOST_LISTED}`)
      }
      const names = [...tables.keys()].toSorted().filter((name) => name > from)
      const TableNames = names.slice(0, Limit)
      const isWhole = TableNames.length === names.length
      return { TableNames, ...(!isWhole && { LastEvaluatedTableName: TableNames.at(-1) }) }
    },
    UpdateTimeToLive(request) {
      return switchTimeToLive(named(request), request.TimeToLiveSpecification ?? {})
    },
    DescribeTimeToLive(request) {
      const { timeToLive: AttributeName } = named(request)
      const TimeToLiveStatus = AttributeName === undefined ? 'DISABLED' : 'ENABLED'
      return { TimeToLiveDescription: { TimeToLiveStatus, AttributeName } }
    },
  }
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ListTables.html */
const MOST_LISTED = 100

/** @throws Refusal when it is on or off already, or on for another attribute */
function switchTimeToLive(table: EngineTable, given: TimeToLive): object {
  const name = requiredMember(given.AttributeName, 'timeToLiveSpecification.attributeName')
  const isOn = requiredMember(given.Enabled, 'timeToLiveSpecification.enabled')
  if (name === '' || name.length > 255) {
    throw breaksRule(
      "Value at 'timeToLiveSpecification.attributeName'",
      'Member must have a length from 1 to 255',
    )
  }
  const { timeToLive: now } = table
  if (isOn === (now !== undefined)) {
    throw invalid(`TimeToLive is already ${isOn ? 'enabled' : 'disabled'}`)
  }
  if (now !== undefined && now !== name) {
    throw invalid('TimeToLive is active on a different AttributeName')
  }
  table.timeToLive = isOn ? name : undefined
  return { TimeToLiveSpecification: { Enabled: isOn, AttributeName: name } }
}

/** The answer to a request, as the protocol has it. */
export function answerTo(
  operation: string,
  text: string,
  operate: ReturnType<typeof openOperations>,
): { readonly status: number; readonly body: string } {
  try {
    return { status: 200, body: JSON.stringify(operate(operation, readRequest(operation, text))) }
  } catch (error) {
    if (error instanceof Refusal) return { status: 400, body: JSON.stringify(refused(error)) }
    const failed = new Refusal('InternalServerError', messageOf(error))
    return { status: 500, body: JSON.stringify(refused(failed)) }
  }
}

function refused({ code, message, fields }: Refusal): object {
  const member = code === 'TransactionCanceledException' ? 'Message' : 'message'
  return {
    __type: `${NAMESPACES[code] ?? 'com.amazonaws.dynamodb.v20120810'}#${code}`,
    [member]: message,
    ...fields,
  }
}

const NAMESPACES: Readonly<Record<string, string>> = {
  ValidationException: 'com.amazon.coral.validate',
  SerializationException: 'com.amazon.coral.service',
  UnknownOperationException: 'com.amazon.coral.service',
}
