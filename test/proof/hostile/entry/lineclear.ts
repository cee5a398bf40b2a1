/** Replaces `lineclear` in a hostile mode. */
import { systemClock } from '../../../../src/library/base/clock.ts'
import * as calm from '../../../../src/library/index.ts'
import { callInMode } from '../callInMode.ts'
import { modeTime } from '../time.ts'
import { mode } from '../mode.ts'

export * from '../../../../src/library/index.ts'

const time = modeTime(systemClock)

/** A kill at each await costs attempts: there have to be enough. */
const MORE_ATTEMPTS = mode.killsAtEachCall ? 200 : 0
const ATTEMPTS = 6

interface Consumed {
  readonly retry?: { readonly maxAttempts?: number }
}

function inWorld<Options extends object & Consumed>(options: Options): Options {
  const { maxAttempts = ATTEMPTS } = options.retry ?? {}
  const retry = { ...options.retry, maxAttempts: maxAttempts + MORE_ATTEMPTS }
  return { clock: time, ...options, ...(MORE_ATTEMPTS > 0 && { retry }) }
}

export const recordHandler: typeof calm.recordHandler = (options, handle) =>
  calm.recordHandler(inWorld(options), handle)

export const defineFlow: typeof calm.defineFlow = (options) => calm.defineFlow(inWorld(options))

export const idempotent = ((options: { readonly clock?: calm.Clock }, fn: never) =>
  callInMode(
    calm.idempotent((options && { clock: time, ...options }) as never, fn),
  )) as unknown as typeof calm.idempotent

export const lockTokens: typeof calm.lockTokens = (options) =>
  calm.lockTokens({ clock: time, ...options })

export const onceForever: typeof calm.onceForever = (options) =>
  calm.onceForever({ clock: time, ...options })
