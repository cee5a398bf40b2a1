import { shellWord } from './commandLine.ts'

/** @param functionName undefined: it is not known */
export function logTail(functionName: string | undefined): string {
  return `aws logs tail /aws/lambda/${functionName === undefined ? 'FUNCTION' : shellWord(functionName)} --since 1d`
}

/** Clocks of functions differ, milliseconds. */
const BEFORE = 60_000

/**
 * Prints all that one invocation has logged, with the lines of Lambda itself.
 * @param since when it began, epoch milliseconds. undefined: not known
 */
export function logOfInvocation(
  { functionName, requestId }: { readonly functionName: string; readonly requestId: string },
  since: number | undefined,
): string {
  const start = since === undefined ? '' : ` --start-time ${since - BEFORE}`
  return `aws logs filter-log-events --log-group-name /aws/lambda/${functionName}${start} --filter-pattern '"${requestId}"' --query 'events[].message' --output text`
}
