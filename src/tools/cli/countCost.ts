import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Cost } from '../console/again.ts'

type Counts = { -readonly [Name in keyof Cost]: Cost[Name] }

const counting = new AsyncLocalStorage<Counts>()

/** Counts what the work asks of counted clients, also when other work uses the same clients meanwhile. */
export async function countCost<T>(work: () => Promise<T>): Promise<readonly [T, Cost]> {
  const counts: Counts = { queries: 0, units: 0, receives: 0 }
  const result = await counting.run(counts, work)
  return [result, counts]
}

/** Once per call, not per attempt: the SDK's retries of a throttled request are not billed. */
const STEP = { step: 'initialize', name: 'lineclearCost', override: true } as const

export function countedDynamoDb(client: DynamoDBClient): DynamoDBClient {
  client.middlewareStack.add(
    (next) => async (call) => {
      const counts = counting.getStore()
      if (counts === undefined) return next(call)
      counts.queries += 1
      const answer = await next({
        ...call,
        input: { ReturnConsumedCapacity: 'TOTAL', ...call.input },
      })
      counts.units += unitsOf(answer.output)
      return answer
    },
    STEP,
  )
  return client
}

export function countedSqs(client: SQSClient): SQSClient {
  client.middlewareStack.add(
    (next) => async (call) => {
      const counts = counting.getStore()
      if (counts !== undefined) counts.receives += 1
      return next(call)
    },
    STEP,
  )
  return client
}

/** Of one table, or of each table of a batch. */
function unitsOf(output: object): number {
  const consumed: unknown = 'ConsumedCapacity' in output ? output.ConsumedCapacity : undefined
  let units = 0
  for (const each of [consumed].flat()) {
    if (typeof each !== 'object' || each === null || !('CapacityUnits' in each)) continue
    if (typeof each.CapacityUnits === 'number') units += each.CapacityUnits
  }
  return units
}
