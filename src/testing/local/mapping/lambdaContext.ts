import type { Context } from 'aws-lambda'
import { randomUUID } from 'node:crypto'

/** Lambda's context object. `deadline` in epoch milliseconds. */
export function lambdaContext(
  lambda: { readonly name: string; readonly arn: string },
  deadline: number,
): Context {
  return {
    awsRequestId: randomUUID(),
    functionName: lambda.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: lambda.arn,
    memoryLimitInMB: '128',
    logGroupName: `/aws/lambda/${lambda.name}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => deadline - Date.now(),
    done: noCallbacks,
    fail: noCallbacks,
    succeed: noCallbacks,
  }
}

/** Lambda's runtimes have no callbacks from nodejs24.x on. */
export function noCallbacks(): never {
  throw new Error('Lambda has no callbacks from nodejs24.x on: return a promise')
}
