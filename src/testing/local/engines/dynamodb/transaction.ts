import { isDeepStrictEqual } from 'node:util'
import * as DYNAMODB from '../../../../library/base/limits/dynamodb.ts'
import type { WireItem } from '../../../../library/base/limits/wireValue.ts'
import { bind } from './expressions/bind.ts'
import {
  breaksRule,
  catchRefusal,
  checkedLength,
  invalid,
  Refusal,
  refuseTwice,
  requiredMember,
} from './values/refusal.ts'
import { refuseEmptyKey, wireItemSize } from './schema.ts'
import { identityOf, findTable, type Tables, charge, type Meter, writeUnits } from './table.ts'
import { type Action, type PendingWrite, intentOf, make, type WriteRequest } from './write.ts'

/** An entry of TransactItems, under the name of its action. */
type Entry = Readonly<Record<string, WriteRequest>>

export interface TransactRequest {
  readonly TransactItems?: readonly Entry[]
  readonly ClientRequestToken?: string
}

export interface Reason {
  readonly Code: string
  readonly Message?: string
  readonly Item?: WireItem | undefined
}

/** An action of a transaction that can be made, and why it is not. */
interface Prepared {
  readonly reason: Reason
  readonly intent?: PendingWrite
  readonly after?: WireItem | undefined
}

const ACTIONS: readonly string[] = ['Put', 'Update', 'Delete', 'ConditionCheck'] satisfies Action[]
const FINE: Reason = { Code: 'None' }

/** All writes, or none. */
export function transact(
  tables: Tables,
  { TransactItems = [] }: TransactRequest,
  meter: Meter,
): void {
  const entries = checkedLength(TransactItems, DYNAMODB.transactionItems, 'transactItems').map(
    (entry) => {
      const [[action, request] = ['', {}], ...others] = Object.entries(entry)
      if (others.length === 0 && ACTIONS.includes(action)) {
        // What is wrong whatever the tables are is no reason of one action.
        bind(request)
        if (action === 'ConditionCheck')
          requiredMember(request.ConditionExpression, 'conditionExpression')
        if (action === 'Update') requiredMember(request.UpdateExpression, 'updateExpression')
        const { schema } = findTable(tables, request.TableName)
        refuseEmptyKey(schema, action === 'Put' ? request.Item : request.Key)
        return { action: action as Action, request }
      }
      throw invalid('TransactItems can only contain one of Check, Put, Update or Delete')
    },
  )
  const all = entries.map(({ action, request }) => prepare(tables, action, request))
  refuseTwice(
    all.flatMap(({ intent }) => (intent ? identityOf(intent.table, intent.key) : [])),
    'Transaction request cannot include multiple operations on one item',
  )
  if (
    all.reduce((sum, { after }) => sum + (after ? wireItemSize(after) : 0), 0) >
    DYNAMODB.transactionBytes
  ) {
    throw invalid('Transaction request cannot be larger than 4 MB')
  }
  // Each item is charged twice, for preparing and for committing.
  for (const { intent, after } of all) {
    if (intent) charge(meter, intent.table, 2 * writeUnits(intent.before, after))
  }
  const reasons = reasonsOf(all)
  if (reasons.some((reason) => reason !== FINE)) throw cancelled(reasons)
  for (const { intent, after } of all) if (intent) make(intent, after, meter)
}

/** Conditions are not asked while an action does not fit its table. */
function reasonsOf(all: readonly Prepared[]): readonly Reason[] {
  const fit = all.every(({ intent }) => intent !== undefined)
  return all.map(({ intent, reason }) => (fit || intent === undefined ? reason : FINE))
}

function prepare(tables: Tables, action: Action, request: WriteRequest): Prepared {
  const intent = catchRefusal(() => intentOf(tables, action, request))
  if (intent instanceof Refusal) return { reason: invalidReason(intent) }
  const { before, isShown, holds } = intent
  if (!holds) {
    const Message = 'The conditional request failed'
    const reason = { Code: 'ConditionalCheckFailed', Message, ...(isShown && { Item: before }) }
    return { reason, intent }
  }
  const after = catchRefusal(() => intent.after())
  if (after instanceof Refusal) return { reason: invalidReason(after), intent }
  return { reason: FINE, intent, after }
}

function invalidReason({ message: Message }: Refusal): Reason {
  return { Code: 'ValidationError', Message }
}

/** The error of a cancelled transaction: a reason for each action, in their order. */
export function cancelled(reasons: readonly Reason[]): Refusal {
  const codes = reasons.map(({ Code }) => Code).join(', ')
  return new Refusal(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { CancellationReasons: reasons },
  )
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
const TOKEN_LENGTH = 36

/** A transaction that is sent again with its token is not made again. */
export function openTokens(now: () => number) {
  const remembered = new Map<string, { readonly items: unknown; readonly until: number }>()
  return (request: TransactRequest, carryOut: () => void): void => {
    const { ClientRequestToken: token, TransactItems: items } = request
    if (token !== undefined && token.length > TOKEN_LENGTH) {
      const rule = `Member must have length less than or equal to ${TOKEN_LENGTH}`
      throw breaksRule(`Value '${token}' at 'clientRequestToken'`, rule)
    }
    // In the order of their ends: all of them are looked at by no request.
    for (const [each, { until }] of remembered) {
      if (until > now()) break
      remembered.delete(each)
    }
    const before = token === undefined ? undefined : remembered.get(token)
    if (before === undefined) {
      carryOut()
      const until = now() + DYNAMODB.requestTokenRemembered
      if (token !== undefined) remembered.set(token, { items, until })
    } else if (!isDeepStrictEqual(before.items, items)) {
      throw new Refusal(
        'IdempotentParameterMismatchException',
        'The ClientRequestToken was used with other parameters',
      )
    }
  }
}
