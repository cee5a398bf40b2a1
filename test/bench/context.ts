import type { Context } from 'aws-lambda'

/** As Lambda hands it over, with half a minute left. */
export function contextOf(awsRequestId: string): Context {
  return {
    functionName: 'orders-consumer',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:orders-consumer',
    memoryLimitInMB: '512',
    awsRequestId,
    logGroupName: '/aws/lambda/orders-consumer',
    logStreamName: '2026/11/01/[$LATEST]0123456789abcdef',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => 30_000,
    done: () => {},
    fail: () => {},
    succeed: () => {},
  }
}
