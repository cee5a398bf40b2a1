import type { Context } from 'aws-lambda'
import type { FencedCall } from '../../protocol/claim/token/decideClaim.ts'
import type { OwnToken } from '../../protocol/claim/token/tokenHold.ts'
import type { InvocationContext } from '../../run/context/context.ts'
import type { KeyConfig } from './keyConfig.ts'

/** Gives the function of a call its `ctx`: `invocationHandler` has one. A function of `idempotent` has no `ctx`. */
export interface ContextSource {
  /** What the claim of a call says so that a retry of the same Lambda request can take over from a dead attempt. */
  fencedCall(call: Pick<ArrivedCall, 'event' | 'lambda'>, now: number): FencedCall
  /** Opens the `ctx` of a call that holds its key. */
  open(call: HeldCall): OpenCall
}

interface ArrivedCall {
  /** The first argument. */
  readonly event: unknown
  readonly lambda: Partial<Context> | undefined
}

/** A call that holds its key. */
export interface HeldCall extends ArrivedCall {
  readonly config: Pick<KeyConfig, 'store' | 'results' | 'logger' | 'clock' | 'count' | 'retention'>
  readonly name: string
  readonly held: OwnToken
  /** As in `Fencing`. */
  readonly isSurelyFirst: boolean
}

/** The `ctx` of one call, until the end of the call is stored. */
export interface OpenCall {
  readonly ctx: InvocationContext
  /** Is called before the function. Rejects when it must not run. */
  begin(): Promise<void>
  /** Does the work, waits for its effects, closes `ctx`, and sends the messages. Rejects when one of these failed. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result>
  /** Whether effects are kept for the next attempt, which must then bring the same payload. */
  hasKeptEffects(): boolean
  /** Is called before the end is stored. */
  ended(): void
}
