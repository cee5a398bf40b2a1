import { systemClock } from '../../../library/base/clock.ts'
import { toSdkError } from '../../queues/refuseEntry.ts'
import { tableNameIn } from '../engines/dynamodb/table.ts'
import { cancelled, type Reason } from '../engines/dynamodb/transaction.ts'
import {
  actionOf,
  type SdkAnswer,
  type SdkMiddleware,
  type NextHandler,
} from '../sdk/instrument.ts'
import {
  type LocalInvocation,
  numberOfCall,
  currentInvocation,
  isTerminated,
} from './invocation.ts'
import { operationsOf } from './operation.ts'
import {
  type DescribeCall,
  type ItemAddress,
  itemId,
  type KeyNames,
  writtenItems,
} from './items.ts'
import { conflictAt } from './faults.ts'

const ONGOING = 'Transaction is ongoing for the item'
const CONFLICT: Reason = { Code: 'TransactionConflict', Message: ONGOING }
const TRANSACTIONS = ['TransactWriteItems', 'TransactGetItems']

type Items = readonly (ItemAddress | undefined)[]

/**
 * Refuses plain writes and transactions on an item that another transaction holds, as DynamoDB does; never a GetItem
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling).
 * The SDK retries none of them. Conflicts are drawn by the faults, or follow from transactions with a `transactionTime`.
 */
export function conflicts(keyNames: KeyNames, describe: DescribeCall): SdkMiddleware {
  const heldUntil = new Map<string, number>()
  const isHeld = (id: string): boolean => (heldUntil.get(id) ?? 0) > performance.now()

  return (next, context) => async (call) => {
    const invocation = currentInvocation()
    const action = actionOf(context)
    const items = writtenItems(action, call.input, keyNames)
    if (invocation === undefined || items.length === 0 || action === 'BatchWriteItem')
      return next(call)
    await invocation.untilThawed()
    if (isTerminated(invocation)) return next(call)
    const number = numberOfCall(invocation, context)
    const about = { call: number, attempt: 0, action, describe: () => describe(action, call.input) }
    const struck = invocation.struckBy(['conflict'], about)
    const drawn = struck ? 0 : conflictAt(invocation.faults, invocation.number, number)
    const refused = items.map(
      (item, nth) => (item && isHeld(itemId(item))) || nth === drawn % items.length,
    )
    const isRefused = refused.includes(true)
    if (isRefused) invocation.injected('conflict', about)
    if (action === 'BatchExecuteStatement') return withoutRefused(call, refused, next)
    if (isRefused) {
      const error = conflictOf(action, refused)
      invocation.watch?.(about, 'conflict').failed(error)
      throw error
    }
    if (!TRANSACTIONS.includes(action)) return next(call)
    return hold(items, invocation, () => next(call))
  }

  /** The items stay held for that time, even when the answer arrives sooner or the invocation has died. */
  async function hold(
    items: Items,
    { faults: { transactionTime = 0 } }: LocalInvocation,
    send: () => Promise<SdkAnswer>,
  ): Promise<SdkAnswer> {
    if (transactionTime === 0) return send()
    const until = performance.now() + transactionTime
    const ids = items.flatMap((item) => (item === undefined ? [] : [itemId(item)]))
    for (const id of ids) heldUntil.set(id, until)
    const [answer] = await Promise.all([send(), systemClock.sleep(transactionTime)])
    // A timer may fire within the millisecond before its time.
    for (const id of ids) if (heldUntil.get(id) === until) heldUntil.delete(id)
    return answer
  }
}

function conflictOf(action: string, refused: readonly boolean[]): Error {
  if (TRANSACTIONS.includes(action)) return cancelledFor(CONFLICT, refused)
  return toSdkError({ code: 'TransactionConflictException', message: ONGOING })
}

/** DynamoDB's error for a transaction that is cancelled because of some of its actions. */
function cancelledFor(reason: Reason, hits: readonly boolean[]): Error {
  const refusal = cancelled(hits.map((isHit) => (isHit ? reason : { Code: 'None' })))
  return Object.assign(toSdkError(refusal), refusal.fields)
}

/** Carries out the other statements of a batch; each has an answer of its own, under HTTP 200. */
async function withoutRefused(
  call: { readonly input: { readonly Statements?: readonly object[] } },
  refused: readonly boolean[],
  next: NextHandler,
): Promise<SdkAnswer> {
  if (!refused.includes(true)) return next(call)
  const Statements = (call.input.Statements ?? []).filter((_, nth) => refused[nth] !== true)
  const answer =
    Statements.length === 0
      ? { output: { $metadata: { httpStatusCode: 200, attempts: 1 } }, response: undefined }
      : await next({ ...call, input: { ...call.input, Statements } })
  const { Responses = [] } = answer.output as { readonly Responses?: readonly object[] }
  const given = Responses.values()
  const all = refused.map((isRefused) =>
    isRefused ? { Error: CONFLICT } : (given.next().value ?? {}),
  )
  return { ...answer, output: { ...answer.output, Responses: all } }
}

interface Input {
  readonly TableName?: string
}

const MESSAGE =
  'The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.'

/**
 * DynamoDB's error while a table of the call is throttled. The SDK retries it, but not a transaction.
 * @param all whatever the tables of the call
 */
export function throttledTables(
  { faults, began }: LocalInvocation,
  action: string,
  input: Input,
  all: boolean,
): Error | undefined {
  const time = performance.now() - began
  const throttled = (faults.throttleTables ?? []).filter(
    ({ after = 0, for: lasts }) => time >= after && time < after + lasts,
  )
  if (throttled.length === 0 && !all) return undefined
  const hits = tablesIn(action, input).map(
    (table) => all || throttled.some((each) => each.table === table),
  )
  if (!all && !hits.includes(true)) return undefined
  if (TRANSACTIONS.includes(action)) {
    return cancelledFor({ Code: 'ThrottlingError', Message: MESSAGE }, hits)
  }
  const error = toSdkError({ code: 'ProvisionedThroughputExceededException', message: MESSAGE })
  return Object.assign(error, { $retryable: { throttling: true } })
}

function tablesIn(action: string, input: Input): readonly string[] {
  const operations = operationsOf(action, input)
  if (operations.length > 0) return operations.map(({ table }) => table)
  return input.TableName === undefined ? [] : [tableNameIn(input.TableName)]
}
