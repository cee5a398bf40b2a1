import type { Context } from 'aws-lambda'
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
