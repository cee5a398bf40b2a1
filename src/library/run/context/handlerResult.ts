import { ConfigError } from '../../base/errors.ts'

/**
 * What a handler of messages may return: its return completes the message, so a value that says otherwise in another framework
 * does not compile, and is refused at run time. Throw to fail.
 */
export type HandlerResult = Harmless | PromiseLike<Harmless>

type Harmless = void | string | number | true | bigint | null | Answer | readonly Each[]

/** Not a partial response, an HTTP answer, an answer of the SDK that can hold failures, a function, a generator, or a promise inside a list. */
type Answer = object & {
  readonly then?: never
  readonly batchItemFailures?: never
  readonly statusCode?: never
  readonly bodyUsed?: never
  readonly Failed?: never
  readonly FailedEntryCount?: never
  readonly UnprocessedItems?: never
  readonly FunctionError?: never
  readonly bind?: never
  readonly next?: never
  readonly [Symbol.iterator]?: never
  readonly [Symbol.asyncIterator]?: never
}

/** One element of a returned list. A result of `Promise.allSettled` does not compile: a rejected one would count as completed. */
type Each =
  | string
  | number
  | boolean
  | bigint
  | null
  | undefined
  | (Answer & { readonly status?: number })

type Members = Readonly<Record<string, unknown>>

/**
 * @throws ConfigError when the work is not done: a function, a generator, promises that nothing waits for. What a rejected result
 * of Promise.allSettled was rejected with; an Error for another value that means failure.
 */
export function refuseResult(result: unknown): void {
  refuseUnfinished(result)
  if (Array.isArray(result)) for (const each of result) refuseEach(each)
  else refuseOne(result)
  // @protects a handler that says false has not completed its message
  // @tests test/deliver/handlerResult
  if (result === false) throw returned('false')
}

/** Which work the value shows to be undone, in words: nothing calls, runs or waits for it any more. undefined: none. */
export function unfinishedIn(result: unknown): string | undefined {
  if (typeof result === 'function') return 'a function, which is never called'
  if (typeof result !== 'object' || result === null) return undefined
  if (!Array.isArray(result))
    return isGenerator(result) ? 'a generator, which is never run' : undefined
  const waits = result.some((each) => typeof each === 'object' && each !== null && 'then' in each)
  return waits ? 'a list of promises: await Promise.all of them' : undefined
}

function refuseEach(each: unknown): void {
  if (typeof each === 'object' && each !== null) {
    if ('reason' in each && 'status' in each && each.status === 'rejected') throw each.reason
  }
  refuseOne(each)
}

function refuseOne(result: unknown): void {
  refuseUnfinished(result)
  if (typeof result !== 'object' || result === null) return
  if (result instanceof Error) throw result
  const failure = failureOf(result as Members)
  // @protects a partial response of a handler is no success
  // @tests test/deliver/handlerResult
  if (failure !== undefined) {
    throw returned(failure)
  }
}

function returned(failure: string): Error {
  return new Error(
    `the handler returned ${failure}. A handler that returns has completed its message: throw an error instead`,
  )
}

/** Which fault the value reports, in the form of Lambda, API Gateway, fetch or an SDK client. undefined: none. */
function failureOf(result: Members): string | undefined {
  const { batchItemFailures, statusCode, ok, bodyUsed, Failed, FailedEntryCount } = result
  if (Array.isArray(batchItemFailures) && batchItemFailures.length > 0) {
    return `batchItemFailures with ${batchItemFailures.length} entries`
  }
  if (typeof statusCode === 'number' && statusCode >= 400) return `the status code ${statusCode}`
  if (typeof bodyUsed === 'boolean' && ok === false) return 'a Response that is not ok'
  if (Array.isArray(Failed) && Failed.length > 0) return `${Failed.length} failed entries`
  if (typeof FailedEntryCount === 'number' && FailedEntryCount > 0) {
    return `${FailedEntryCount} failed entries`
  }
  if (Object.keys(result['UnprocessedItems'] ?? {}).length > 0) return 'unprocessed items'
  return typeof result['FunctionError'] === 'string' ? 'the error of a function' : undefined
}

function isGenerator(result: object): boolean {
  return Symbol.asyncIterator in result || ('next' in result && Symbol.iterator in result)
}

function refuseUnfinished(result: unknown): void {
  const what = unfinishedIn(result)
  // @protects a result that shows work to be undone is no success
  // @without true @tests test/deliver/handlerResult
  if (what === undefined) return
  throw new ConfigError(
    `the handler returned ${what}. Its message is dead-lettered, because no further attempt would do better: wait for the work in the handler, then redrive`,
  )
}

/**
 * Runs a handler, and waits for the effects that it has begun. A handler that failed may still have calls under way, because
 * Promise.all rejects at the first error. They have to end before the next attempt starts: it would otherwise find an unknown
 * outcome, only because the call has not been answered yet.
 */
export async function awaitEffects<Result>(
  run: () => Result | Promise<Result>,
  settled: () => Promise<void>,
): Promise<Result> {
  let result: Result
  try {
    result = await run()
  } catch (error) {
    // @protects the calls of a failed handler end before the next attempt
    await settled().catch(() => {})
    throw error
  }
  await settled()
  return result
}
