import { inTime } from '../../../base/inTime.ts'
import { ScanCommand } from '@aws-sdk/client-dynamodb'
import type { TableSource, Condition, Item, StoreKey } from '../../../protocol/store/store.ts'
import { toItem, keyAttributes } from '../../../protocol/store/wire/attributes.ts'
import { toExpression } from '../../../protocol/store/wire/expression.ts'
import { failureOf } from './calls/failure.ts'

/** Asks for one page of the whole table. */
export interface PageQuery {
  readonly where: Condition
  /** The `next` of the previous page. */
  readonly after: StoreKey | undefined
}

/** Items for which the condition holds, in no order. They may be a second old. */
export interface ScannedPage {
  readonly items: readonly Item[]
  readonly looked: number
  readonly readUnits: number
  /** undefined: it was the last page. */
  readonly next: StoreKey | undefined
}

/** 1 MB is the most that DynamoDB reads for one call, and half a unit the price of 4 KB. */
const UNITS_OF_A_PAGE = 128

/**
 * Reads one page of the table. Needs the permission `dynamodb:Scan`. DynamoDB bills every item that it looks at, also those for
 * which `where` does not hold.
 * @throws StoreUnavailableError
 */
export async function scanPage(
  { tableName, client }: TableSource,
  { where, after }: PageQuery,
): Promise<ScannedPage> {
  const { ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } = toExpression(
    [where],
  )
  const command = new ScanCommand({
    TableName: tableName,
    FilterExpression: ConditionExpression,
    ExpressionAttributeNames,
    ExpressionAttributeValues,
    ReturnConsumedCapacity: 'TOTAL',
    ExclusiveStartKey: after && keyAttributes(after),
  })
  try {
    const made = await client()
    const page = await inTime(undefined, (limit) => made.send(command, limit))
    const { Items = [], LastEvaluatedKey: last, ScannedCount = 0, ConsumedCapacity } = page
    return {
      items: Items.map(toItem),
      looked: ScannedCount,
      readUnits: ConsumedCapacity?.CapacityUnits ?? UNITS_OF_A_PAGE,
      next: last && { pk: last['pk']?.S ?? '', sk: last['sk']?.S ?? '' },
    }
  } catch (error) {
    throw failureOf(tableName, error)
  }
}
