import { numberOfCall } from './callNumbers.ts'
import { throttledTables } from './tableThrottle.ts'
import type { CallFault } from './faults.ts'
import { currentInvocation, terminate, isTerminated, type LocalInvocation } from './invocation.ts'
import { actionOf, type SdkAnswer, type SdkCall, type SdkMiddleware } from '../sdk/sdkMiddleware.ts'

/** Turns a request to a server that takes it and never answers. */
type DivertToSilence = (call: SdkCall) => Promise<SdkCall>

/**
 * The place in the SDK where faults happen: innermost, so inside the SDK's own retry loop. Calls from outside a mapped
 * handler pass untouched.
 */
export function faultMiddleware(divert: DivertToSilence): SdkMiddleware {
  return (next, context) => {
    let attempt = 0
    return async (args) => {
      const invocation = currentInvocation()
      if (invocation === undefined) return next(args)
      attempt += 1
      await invocation.untilThawed()
      if (isTerminated(invocation)) return never()
      const call = numberOfCall(invocation, context)
      const fault = invocation.faultOf(call, attempt)
      const tables = throttledTables(invocation, actionOf(context), args.input)
      if (fault === undefined && tables !== undefined) {
        invocation.injected('tableThrottle')
        throw tables
      }
      return cross(invocation, fault, {
        send: () => next(args),
        hang: async () => next(await divert(args)),
      })
    }
  }
}

/** A killed process reads no answers and sends no requests: for a dead invocation no call ever ends. */
async function cross(
  invocation: LocalInvocation,
  fault: CallFault | undefined,
  wire: { send(): Promise<SdkAnswer>; hang(): Promise<SdkAnswer> },
): Promise<SdkAnswer> {
  if (fault !== undefined) invocation.injected(fault)
  if (fault === 'killBefore') return kill(invocation)
  if (fault === 'throttle') throw throttled()
  if (fault === 'hangBefore') return orNever(invocation, wire.hang())
  const answer = await settled(wire.send())
  await invocation.untilThawed()
  if (fault === undefined && !isTerminated(invocation)) return answer()
  discard(answer)
  if (isTerminated(invocation)) return never()
  if (fault === 'killAfter') return kill(invocation)
  if (fault === 'hangAfter') return orNever(invocation, wire.hang())
  throw connectionReset()
}

/** Fails when the client gives the request up, if it has a timeout; a dead invocation does not hear of it. */
async function orNever(
  invocation: LocalInvocation,
  hanging: Promise<SdkAnswer>,
): Promise<SdkAnswer> {
  const answer = await settled(hanging)
  await invocation.untilThawed()
  return isTerminated(invocation) ? never() : answer()
}

function kill(invocation: LocalInvocation): Promise<never> {
  terminate(invocation, 'killed')
  return never()
}

function never(): Promise<never> {
  return new Promise(() => {})
}

/** Waits for the end of a request, and reads it only when asked. */
async function settled(sending: Promise<SdkAnswer>): Promise<() => SdkAnswer> {
  try {
    const answer = await sending
    return () => answer
  } catch (error) {
    return () => {
      throw error
    }
  }
}

/** Reads the bytes of an answer nobody wants, else its socket stays taken. */
function discard(answer: () => SdkAnswer): void {
  try {
    const { response } = answer()
    if (!isHttpResponse(response)) return
    response.body.resume()
  } catch {
    // The request failed by itself: there is no answer to read.
  }
}

function isHttpResponse(response: unknown): response is { body: { resume(): void } } {
  if (typeof response !== 'object' || response === null || !('body' in response)) return false
  const { body } = response
  return typeof body === 'object' && body !== null && 'resume' in body
}

/** As the SDK's Node.js handler reports a connection that ended early: the retry strategy takes it as transient. */
function connectionReset(): Error {
  return Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' })
}

function throttled(): Error {
  return Object.assign(new Error('Rate exceeded'), {
    name: 'ThrottlingException',
    $fault: 'client',
    $retryable: { throttling: true },
    $metadata: { httpStatusCode: 400 },
  })
}
