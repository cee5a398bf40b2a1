import type { LocalInvocation } from './invocation.ts'
import { toSdkError } from '../../queues/refuseEntry.ts'
import { cancelled } from './conflicts.ts'
import { tableNameIn, readStatement, type PartiQlStatement } from './items.ts'

interface Touched {
  readonly TableName?: string
}
interface Input extends Touched, PartiQlStatement {
  readonly TransactItems?: readonly Readonly<Record<string, Touched | undefined>>[]
  readonly Statements?: readonly PartiQlStatement[]
  readonly RequestItems?: Readonly<Record<string, unknown>>
}

const MESSAGE =
  'The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.'

/** DynamoDB's error while a table of the call is throttled. The SDK retries it, but not a transaction. */
export function throttledTables(
  { faults, began }: LocalInvocation,
  action: string,
  input: Input,
): Error | undefined {
  const time = performance.now() - began
  const throttled = (faults.throttleTables ?? []).filter(
    ({ after = 0, for: lasts }) => time >= after && time < after + lasts,
  )
  if (throttled.length === 0) return undefined
  const hits = tablesIn(input).map((table) => throttled.some((each) => each.table === table))
  return hits.includes(true) ? refusalOf(action, hits) : undefined
}

/** The same error, whatever the tables of the call. */
export function allTablesThrottled(action: string, input: Input): Error {
  return refusalOf(
    action,
    tablesIn(input).map(() => true),
  )
}

function refusalOf(action: string, hits: readonly boolean[]): Error {
  if (action.startsWith('Transact')) {
    return cancelled(
      hits.map((isHit) =>
        isHit ? { Code: 'ThrottlingError', Message: MESSAGE } : { Code: 'None' },
      ),
    )
  }
  const error = toSdkError({ code: 'ProvisionedThroughputExceededException', message: MESSAGE })
  return Object.assign(error, { $retryable: { throttling: true } })
}

function tablesIn(input: Input): readonly string[] {
  const { TableName, TransactItems = [], Statements = [], RequestItems = {}, Statement } = input
  const statements = Statement === undefined ? Statements : [input]
  return [
    ...(TableName === undefined ? [] : [TableName]),
    ...TransactItems.map((item) => Object.values(item)[0]?.TableName ?? ''),
    ...statements.map((statement) => readStatement(statement).table),
    ...Object.keys(RequestItems),
  ].map(tableNameIn)
}
