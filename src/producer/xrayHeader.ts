const HEADER = /^Root=1-[\da-f]{8}-[\da-f]{24}(;[\w-]{1,32}=[\w:.|-]{0,256}){0,8}$/i

/**
 * The X-Ray trace of the running invocation, for SQS's `AWSTraceHeader`. Lambda sets it in the environment.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
export function xrayHeader(): string | undefined {
  const header = process.env['_X_AMZN_TRACE_ID']
  return header !== undefined && HEADER.test(header) ? header : undefined
}
