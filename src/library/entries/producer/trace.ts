import type { TracedTarget } from '../../run/context/trace.ts'
import type { Tracing } from '../../features/tracing/tracing.ts'

/** Sends in a span, when the sender is traced. @param send gets the W3C context for its messages */
export function traced<Answer>(
  tracing: Tracing | undefined,
  to: TracedTarget,
  send: (traceparent: string | undefined) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  return tracing === undefined
    ? send(undefined)
    : tracing.send(to, ({ traceparent }) => send(traceparent))
}

/**
 * The X-Ray trace of the running invocation, for SQS's `AWSTraceHeader`. Lambda Managed Instances run many invocations in one
 * process, so the environment cannot hold it there.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
export function xrayHeader(): string | undefined {
  // Its declared type lacks the store.
  const { awslambda } = globalThis as object as Runtime
  // @protects where one process runs many invocations, each sends its own trace
  // @without its right
  const header = awslambda?.InvokeStore?.getXRayTraceId?.() ?? process.env['_X_AMZN_TRACE_ID']
  return typeof header === 'string' && HEADER.test(header) ? header : undefined
}

const HEADER = /^Root=1-[\da-f]{8}-[\da-f]{24}(;[\w-]{1,32}=[\w:.|-]{0,256}){0,8}$/i

/** What Lambda's runtime knows of the invocation whose code asks. */
interface Runtime {
  readonly awslambda?: { readonly InvokeStore?: { getXRayTraceId?(): unknown } }
}
