import type { Context } from 'aws-lambda'

/** A context as Lambda hands it over. `left` in milliseconds. */
export function lambdaContext(left: number | undefined = 30_000): Context {
  const context = {
    functionName: 'consumer',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:consumer',
    memoryLimitInMB: '512',
    awsRequestId: 'request-1',
    logGroupName: '/aws/lambda/consumer',
    logStreamName: 'stream',
    callbackWaitsForEmptyEventLoop: false,
    done: () => {},
    fail: () => {},
    succeed: () => {},
  }
  const getRemainingTimeInMillis = left === undefined ? undefined : () => left
  return { ...context, getRemainingTimeInMillis } as Context
}
