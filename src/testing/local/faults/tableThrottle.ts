import type { LocalInvocation } from './invocation.ts'
import { toSdkError } from '../../queues/refuseEntry.ts'
import { cancelled } from './conflicts.ts'
import { operationsOf, tableNameIn } from './operation.ts'

interface Input {
  readonly TableName?: string
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
  const hits = tablesIn(action, input).map((table) =>
    throttled.some((each) => each.table === table),
  )
  return hits.includes(true) ? refusalOf(action, hits) : undefined
}

/** The same error, whatever the tables of the call. */
export function allTablesThrottled(action: string, input: Input): Error {
  return refusalOf(
    action,
    tablesIn(action, input).map(() => true),
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

function tablesIn(action: string, input: Input): readonly string[] {
  const operations = operationsOf(action, input)
  if (operations.length > 0) return operations.map(({ table }) => table)
  return input.TableName === undefined ? [] : [tableNameIn(input.TableName)]
}
