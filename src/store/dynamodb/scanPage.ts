import { ScanCommand } from '@aws-sdk/client-dynamodb'
import type { TableSource } from '../store.ts'
import type { PageQuery, ScannedPage } from '../tablePage.ts'
import { toItem } from '../wire/attributes.ts'
import { toExpression } from '../wire/expression.ts'
import { keyAttributes } from '../wire/key.ts'
import { kindOfError } from './errorKind.ts'
import { failureOf } from './failure.ts'

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
    ...(after !== undefined && { ExclusiveStartKey: keyAttributes(after) }),
  })
  try {
    const page = await client().send(command)
    const { Items = [], LastEvaluatedKey: last, ScannedCount = 0, ConsumedCapacity } = page
    return {
      items: Items.map(toItem),
      looked: ScannedCount,
      readUnits: ConsumedCapacity?.CapacityUnits ?? UNITS_OF_A_PAGE,
      next: last && { pk: last['pk']?.S ?? '', sk: last['sk']?.S ?? '' },
    }
  } catch (error) {
    throw failureOf(tableName, kindOfError(error), error)
  }
}
