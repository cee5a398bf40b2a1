import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { actionOf, type SdkAnswer, type SdkCall, type SdkMiddleware } from '../sdk/instrument.ts'
import type { DescribeCall } from './items.ts'
import {
  numberOfCall,
  currentInvocation,
  isTerminated,
  type LocalInvocation,
  terminate,
} from './invocation.ts'
import { throttledTables } from './conflicts.ts'
import type { CallFault } from './faults.ts'

/** Redirects a request to a server that accepts it and never answers. */
type DivertToSilence = (call: SdkCall) => Promise<SdkCall>

/**
 * Injects faults into SDK calls. It is the innermost middleware, inside the SDK's retry loop. Calls from outside a mapped
 * handler are not affected.
 */
export function faultMiddleware(divert: DivertToSilence, describe: DescribeCall): SdkMiddleware {
  return (next, context) => {
    let attempt = 0
    return async (args) => {
      const invocation = currentInvocation()
      if (invocation === undefined) return next(args)
      attempt += 1
      await invocation.untilThawed()
      if (isTerminated(invocation)) return never()
      const action = actionOf(context)
      const call = numberOfCall(invocation, context)
      const about = { call, attempt, action, describe: () => describe(action, args.input) }
      const fault = invocation.faultOf(about)
      if (invocation.struckBy(['sandboxDeath'], about) !== undefined) invocation.isDoomed = true
      const throttlesAll = invocation.struckBy(['tableThrottle'], about) !== undefined
      const tables = throttledTables(invocation, action, args.input, throttlesAll)
      const struck = fault ?? (tables && 'tableThrottle')
      if (struck !== undefined) invocation.injected(struck, about)
      // Before the call begins: a fault may end the invocation at once.
      const end = invocation.watch?.(about, struck)
      const answer =
        fault === undefined && tables !== undefined
          ? Promise.reject(tables)
          : cross(invocation, fault, {
              send: () => next(args),
              hang: async () => next(await divert(args)),
            })
      if (end !== undefined) answer.then(end.ended, end.failed)
      return answer
    }
  }
}

/** A killed process reads no answers and sends no requests, so a call of a dead invocation never ends. */
async function cross(
  invocation: LocalInvocation,
  fault: CallFault | undefined,
  wire: { send(): Promise<SdkAnswer>; hang(): Promise<SdkAnswer> },
): Promise<SdkAnswer> {
  if (fault === 'killBefore') return kill(invocation)
  if (fault === 'throttle') throw throttled()
  if (fault === 'hangBefore') return orNever(invocation, wire.hang())
  const answer = wire.send()
  await Promise.allSettled([answer])
  await invocation.untilThawed()
  if (fault === undefined && !isTerminated(invocation)) return answer
  // One that has failed by itself has no response.
  answer.then(discard, () => {})
  if (isTerminated(invocation)) return never()
  if (fault === 'killAfter') return kill(invocation)
  if (fault === 'hangAfter') return orNever(invocation, wire.hang())
  throw connectionReset()
}

/** Fails at the client's timeout, if it has one. For a dead invocation it never ends. */
async function orNever(
  invocation: LocalInvocation,
  hanging: Promise<SdkAnswer>,
): Promise<SdkAnswer> {
  await Promise.allSettled([hanging])
  await invocation.untilThawed()
  return isTerminated(invocation) ? never() : hanging
}

function kill(invocation: LocalInvocation): Promise<never> {
  terminate(invocation, 'killed')
  return never()
}

function never(): Promise<never> {
  return new Promise(() => {})
}

/** Drains a discarded response, else its socket stays in use. */
function discard({ response }: SdkAnswer): void {
  const { body } = (response ?? {}) as { readonly body?: { resume?(): void } | null }
  body?.resume?.()
}

/** The error of the SDK's Node.js handler for a broken connection, which the retry strategy treats as transient. */
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

/** Accepts connections and requests and never answers, like the far end of a half-open connection. */
interface SilentServer {
  /** The port on 127.0.0.1. Opens at the first call. */
  port(): Promise<number>
  stop(): Promise<void>
}

export function silentServer(): SilentServer {
  const server = createServer(() => {})
  let opening: Promise<unknown> | undefined
  return {
    port: async () => {
      await (opening ??= once(server.listen(0, '127.0.0.1').unref(), 'listening'))
      return (server.address() as AddressInfo).port
    },
    stop: async () => {
      server.closeAllConnections()
      if (opening !== undefined) await new Promise((closed) => server.close(closed))
    },
  }
}
