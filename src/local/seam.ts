import type { CallFault } from './faults.ts'
import { currentInvocation, die, isDead, type Invocation } from './invocation.ts'
import { actionOf, type Answer, type Middleware } from './middleware.ts'

/**
 * The place in the SDK where faults happen: innermost, so inside the SDK's own retry loop. Calls from outside a mapped
 * handler pass untouched.
 */
export const faultSeam: Middleware = (next, context) => {
  let attempt = 0
  let call = 0
  return (args) => {
    const invocation = currentInvocation()
    if (invocation === undefined) return next(args)
    attempt += 1
    if (attempt === 1 && !isDead(invocation)) call = invocation.calls.push(actionOf(context))
    return cross(invocation, invocation.faultOf(call, attempt), () => next(args))
  }
}

/** A killed process reads no answers and sends no requests: for a dead invocation no call ever ends. */
async function cross(
  invocation: Invocation,
  fault: CallFault | undefined,
  send: () => Promise<Answer>,
): Promise<Answer> {
  if (isDead(invocation)) return never()
  if (fault !== undefined) invocation.injected(fault)
  if (fault === 'killBefore') return kill(invocation)
  if (fault === 'throttle') throw throttled()
  const answer = await settled(send())
  if (fault === undefined && !isDead(invocation)) return answer()
  discard(answer)
  if (isDead(invocation)) return never()
  if (fault === 'killAfter') return kill(invocation)
  throw connectionReset()
}

function kill(invocation: Invocation): Promise<never> {
  die(invocation, 'killed')
  return never()
}

function never(): Promise<never> {
  return new Promise(() => {})
}

/** Waits for the end of a request, and reads it only when asked. */
async function settled(sending: Promise<Answer>): Promise<() => Answer> {
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
function discard(answer: () => Answer): void {
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
