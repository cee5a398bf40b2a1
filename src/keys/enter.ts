import { sortableId } from '../ids.ts'
import type { KeyClaim } from '../lock/claimKey.ts'
import { claimOrWait, runsUntil } from './claimOrWait.ts'
import type { Guard } from './guard.ts'
import type { CallOutcome } from './keeper.ts'
import { problemAnswer } from './http/problem.ts'
import { hold } from './holding.ts'
import { type Call, leaseOf, readCall } from './readCall.ts'
import { errorOf, problemOf, type Refusal } from './refusal.ts'
import { replay } from './replay.ts'
import { openRun, type Run } from './run.ts'

/** What a guarded call comes to before its function is run. */
export type Entered<Output> =
  /** The key is held: run the function, and tell `run` how it ended. */
  | { readonly kind: 'run'; readonly run: Run<Output> }
  /** The option `when` says so: run the function, and tell nobody. */
  | { readonly kind: 'unguarded' }
  | { readonly kind: 'answer'; readonly output: Output }
  | { readonly kind: 'throw'; readonly error: Error }

/** @param name the function's own, for the scope when nothing else names it. */
export async function enter<Args extends readonly unknown[], Output>(
  guard: Guard<Args, Output>,
  args: Args,
  name: string,
): Promise<Entered<Output>> {
  if (guard.options.when?.(...args) === false) return { kind: 'unguarded' }
  const call = readCall(guard, args, name)
  const { identity, http } = call
  // The preflight of a browser carries no headers of the request it asks for.
  if (http?.method === 'OPTIONS') return { kind: 'unguarded' }
  if (identity.kind === 'missing') {
    const { why, because } = identity
    return refuse(guard, call, { kind: 'no key', why, because })
  }
  try {
    return await conclude(guard, call, await claimFor(guard, call, identity))
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    return refuse(guard, call, { kind: 'unavailable', error })
  }
}

function claimFor<Args extends readonly unknown[], Output>(
  guard: Guard<Args, Output>,
  { lambda, scope, patience }: Call,
  { pk, payloadHash }: Extract<Call['identity'], { kind: 'key' }>,
): Promise<KeyClaim> {
  const attemptId = sortableId(guard.clock.now())
  const lockedBy = `${lambda?.functionName ?? scope}/${lambda?.awsRequestId ?? attemptId}`
  return claimOrWait(
    guard,
    (now) => ({ pk, attemptId, lockedBy, payloadHash, ...leaseOf(guard, lambda, now) }),
    patience,
  )
}

async function conclude<Args extends readonly unknown[], Output>(
  guard: Guard<Args, Output>,
  call: Call,
  claim: KeyClaim,
): Promise<Entered<Output>> {
  switch (claim.kind) {
    case 'failed':
      return refuse(guard, call, { kind: 'unavailable', error: claim.error })
    case 'claimed': {
      const names = { scope: call.scope, lockToken: claim.token.pk }
      const holding = hold(guard, claim.token, claim.item, names)
      guard.count(call.scope, 'started')
      return { kind: 'run', run: openRun(guard, call.http, holding) }
    }
    case 'taken': {
      const until = runsUntil(claim.by)
      if (until !== undefined) return refuse(guard, call, { kind: 'running', until })
      if (claim.by.kind === 'conflict') return refuse(guard, call, { kind: 'other payload' })
      const replayed = await replay(guard, call.http, claim.item)
      if (replayed.kind === 'refused') return refuse(guard, call, replayed.refusal)
      guard.count(call.scope, 'replayed')
      return replayed
    }
  }
}

function refuse<Args extends readonly unknown[], Output>(
  { logger, clock, count }: Guard<Args, Output>,
  { http, scope, identity }: Call,
  refusal: Refusal,
): Entered<Output> {
  const error = errorOf(refusal)
  count(scope, OUTCOME[refusal.kind])
  const lockToken = identity.kind === 'key' ? identity.pk : undefined
  logger.warn('not run', { why: refusal.kind, scope, lockToken, error: error.message })
  if (http === undefined) return { kind: 'throw', error }
  // A handler of HTTP requests answers with responses; that its type leaves this one out is known to TypeScript only.
  return { kind: 'answer', output: problemAnswer(http, problemOf(refusal, clock.now())) as Output }
}

const OUTCOME: Readonly<Record<Refusal['kind'], CallOutcome>> = {
  'no key': 'missingKey',
  'other payload': 'conflict',
  running: 'inProgress',
  'not kept': 'replayed',
  parked: 'blocked',
  unavailable: 'unavailable',
}
