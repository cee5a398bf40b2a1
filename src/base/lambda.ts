import type { Context } from 'aws-lambda'
import { isObject } from './kindOf.ts'
import type { LogFields } from './logger.ts'

/**
 * Names the invocation on each line of the log, under the names of Powertools Logger: if its `addContext` has set them, they are
 * not there twice.
 */
export function lambdaFields(lambda: Partial<Context> | undefined): LogFields {
  return lambda === undefined
    ? {}
    : {
        function_name: lambda.functionName,
        function_version: lambda.functionVersion,
        function_request_id: lambda.awsRequestId,
      }
}

/** What the SDK of durable executions gives its handlers in place of Lambda's context. */
export function isDurableContext(context: unknown): boolean {
  return (
    isObject(context) &&
    typeof context['step'] === 'function' &&
    typeof context['wait'] === 'function'
  )
}
