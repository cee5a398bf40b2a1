import { splitId } from '../text/itemId.ts'
import { logOfInvocation } from '../text/logCommand.ts'

export interface LogQueries {
  /** undefined: the table does not know the function. */
  readonly logGroup: string | undefined
  readonly request: string
  /** What the last invocation has logged, with Lambda's own lines: a timeout or a lack of memory is logged only there. */
  readonly invocation: string | undefined
  /** The same, to type in a shell. */
  readonly command: string | undefined
}

interface Logged {
  readonly pk: string
  readonly uniqueRequestId?: string | undefined
  /** `FUNCTION/REQUEST-ID` where a Lambda function holds it. */
  readonly lockedBy?: unknown
  /** When it was claimed, epoch milliseconds. */
  readonly claimedAt?: number | undefined
}

/** `openCalls.0`: what a timed-out attempt was waiting for. Insights names the members of a list by their number. */
const SHOWN =
  'fields @timestamp, level, message, attempt, reason, error, openCalls.0, function_request_id'
const ORDER = 'sort @timestamp | limit 1000'

/** The lines of a request are found by its id, those of a key by its lock token. */
export function logQueries({ pk, uniqueRequestId, lockedBy, claimedAt }: Logged): LogQueries {
  const { rest } = splitId(pk)
  const about =
    uniqueRequestId === undefined
      ? anyOf(['uniquerequestid', 'lockToken', 'key'], rest).concat(equal('lockToken', pk))
      : [equal('uniquerequestid', uniqueRequestId)]
  const invocation = readLockedBy(lockedBy)
  return {
    logGroup: invocation && `/aws/lambda/${invocation.functionName}`,
    request: `${SHOWN} | filter ${about.join(' or ')} | ${ORDER}`,
    invocation:
      invocation &&
      `fields @timestamp, @message | filter ${anyOf(INVOCATION, invocation.requestId).join(' or ')} | ${ORDER}`,
    command: invocation && logOfInvocation(invocation, claimedAt),
  }
}

const INVOCATION = ['@requestId', 'function_request_id', 'record.requestId']

function anyOf(names: readonly string[], value: string): readonly string[] {
  return names.map((name) => equal(name, value))
}

function equal(name: string, value: string): string {
  return `${name} = ${JSON.stringify(value)}`
}

const FUNCTION_AND_REQUEST = /^([\w-]{1,140})\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/

/** @returns undefined: no Lambda function has claimed it */
export function readLockedBy(
  lockedBy: unknown,
): { readonly functionName: string; readonly requestId: string } | undefined {
  const [, functionName, requestId] =
    FUNCTION_AND_REQUEST.exec(typeof lockedBy === 'string' ? lockedBy : '') ?? []
  return functionName === undefined || requestId === undefined
    ? undefined
    : { functionName, requestId }
}

export function logLines({
  logGroup,
  request,
  invocation,
  command,
}: LogQueries): readonly string[] {
  return [
    `log, in Logs Insights of ${logGroup ?? 'its functions'}: ${request}`,
    ...(invocation === undefined ? [] : [`log of its last invocation: ${invocation}`]),
    ...(command === undefined ? [] : [`the same, in a shell: ${command}`]),
  ]
}
