import { messageOf } from '../errors.ts'
import { sortableId } from '../sortableId.ts'
import type { KeyClaim } from '../claim/token/claimKey.ts'
import { timeLeft } from '../claim/token/lease.ts'
import type { Token } from '../claim/token/token.ts'
import type { Item } from '../store/store.ts'
import { claimOrWait, runsUntil } from './claimOrWait.ts'
import type { IdempotencyConfig } from './config.ts'
import { holdKey } from './heldKey.ts'
import { problemResponse } from './http/problem.ts'
import { renewLease } from './renewLease.ts'
import type { CallOutcome } from './keyConfig.ts'
import { arrive, type IncomingCall, isPreflight, leaseFrom, readCall } from './readCall.ts'
import { reasonOf } from './readKey.ts'
import { errorFor, problemFor, type CallRefusal } from './refusal.ts'
import { replay } from './replay.ts'
import { type CallAnswer, settlementFor, type CallSettlement } from './settle.ts'

/** What a guarded call comes to before its function is run. */
export type Acquired<Output> =
  /** The key is held: run the function, and tell `run` how it ended. */
  | { readonly kind: 'run'; readonly settle: CallSettlement<Output> }
  /** The option `when` says so: run the function, and tell nobody. */
  | { readonly kind: 'unprotected' }
  | CallAnswer<Output>

/** @param fn what is guarded; undefined: the Lambda handler itself, behind other middlewares. */
export async function acquire<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  args: Args,
  fn: ((...args: never[]) => unknown) | undefined,
): Promise<Acquired<Output>> {
  const arrival = arrive(config, args)
  const protection = await protectionOf(config, args)
  if (protection.kind === 'no') return { kind: 'unprotected' }
  const call = await readCall(config, args, fn, arrival)
  const { key, http } = call
  if (protection.kind === 'broken')
    return refuse(config, call, {
      kind: 'misconfigured',
      why: WHEN_THREW,
      because: protection.because,
    })
  if (http !== undefined && isPreflight(http)) return { kind: 'unprotected' }
  if (key.kind === 'missing') {
    const { why, because } = key
    return refuse(config, call, { kind: 'no key', why, because })
  }
  if (key.kind === 'misconfigured') return refuse(config, call, key)
  try {
    return await claimAndAcquire(config, call, key)
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    return refuse(config, call, { kind: 'unavailable', error })
  }
}

type Protection =
  | { readonly kind: 'yes' | 'no' }
  | { readonly kind: 'broken'; readonly because: string }

const WHEN_THREW = 'when threw, so nobody knows whether this call is protected. Nothing was run.'

async function protectionOf<Args extends readonly unknown[], Output>(
  { options: { when } }: IdempotencyConfig<Args, Output>,
  args: Args,
): Promise<Protection> {
  try {
    return { kind: (await when?.(...args)) === false ? 'no' : 'yes' }
  } catch (error) {
    return { kind: 'broken', because: reasonOf(error) }
  }
}

async function claimAndAcquire<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  call: IncomingCall,
  { pk, payloadHash }: Extract<IncomingCall['key'], { kind: 'key' }>,
): Promise<Acquired<Output>> {
  const { lambda, scope, maxWait, calledAt, lease } = call
  const { retention } = config
  const attemptId = sortableId(calledAt)
  const lockedBy = `${lambda?.functionName ?? scope}/${lambda?.awsRequestId ?? attemptId}`
  const claim = await claimOrWait(
    config,
    (now) => ({
      pk,
      attemptId,
      lockedBy,
      payloadHash,
      retention,
      ...leaseFrom(lease, now),
    }),
    calledAt,
    maxWait,
  )
  switch (claim.kind) {
    case 'failed':
      return refuse(config, call, { kind: 'unavailable', error: claim.error })
    case 'claimed':
      config.count(scope, 'started')
      return { kind: 'run', settle: holdKeyFor(config, call, claim) }
    case 'taken': {
      const until = runsUntil(claim.by)
      if (until !== undefined) return refuse(config, call, { kind: 'running', until })
      if (claim.by.kind === 'conflict') return refuse(config, call, { kind: 'other payload' })
      return replayResult(config, call, claim.item, calledAt + maxWait)
    }
  }
}

function holdKeyFor<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  call: IncomingCall,
  { token, item }: Extract<KeyClaim, { kind: 'claimed' }>,
): CallSettlement<Output> {
  const { minMs, isRenewed } = call.lease
  const heldKey = holdKey(config, token, item, {
    scope: call.scope,
    lockToken: token.pk,
    timeLeft: () => (isRenewed ? undefined : timeLeft(call.lambda)),
    ...(isRenewed ? { stopRenewal: renewLease(config, token, minMs) } : {}),
  })
  return settlementFor(config, call.http, heldKey, () => replayWinner(config, call, token))
}

/** @param until how long to wait for a result that is being put away, epoch milliseconds. */
async function replayResult<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  call: IncomingCall,
  item: Item,
  until: number,
): Promise<CallAnswer<Output>> {
  let replayed = await replay(config, call.http, item)
  while (replayed.kind === 'on its way' && config.clock.now() < until) {
    await config.clock.sleep(POLL_MS)
    replayed = await replay(config, call.http, item)
  }
  switch (replayed.kind) {
    case 'on its way':
      return refuse(config, call, { kind: 'running', until: replayed.until })
    case 'refused':
      return refuse(config, call, replayed.refusal)
    default:
      config.count(call.scope, 'replayed')
      return replayed
  }
}

const POLL_MS = 200

/** For a call that was overtaken: what it came to itself is not what later callers are given, so it is given to nobody. */
async function replayWinner<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  call: IncomingCall,
  { pk }: Token,
): Promise<CallAnswer<Output>> {
  try {
    const [read] = await config.store.read([{ pk, sk: 'token' }], { consistent: true })
    const item = read?.kind === 'found' ? read.item : undefined
    if (item !== undefined && item['status'] === undefined) {
      return await replayResult(config, call, item, config.clock.now() + call.maxWait)
    }
  } catch (error) {
    config.logger.warn('the answer of the other attempt cannot be read', {
      error: messageOf(error),
    })
  }
  return refuse(config, call, { kind: 'overtaken' })
}

function refuse<Args extends readonly unknown[], Output>(
  { logger, clock, count }: IdempotencyConfig<Args, Output>,
  { http, scope, key }: IncomingCall,
  refusal: CallRefusal,
): CallAnswer<Output> {
  const error = errorFor(refusal)
  count(scope, OUTCOME[refusal.kind])
  const lockToken = key.kind === 'key' ? key.pk : undefined
  const level = refusal.kind === 'misconfigured' ? 'error' : 'warn'
  const line = { why: refusal.kind, scope, lockToken, error: error.message }
  logger[level](refusal.kind === 'overtaken' ? 'run, and not answered' : 'not run', line)
  if (http === undefined) return { kind: 'throw', error }
  // A handler of HTTP requests answers with responses; that its type leaves this one out is known to TypeScript only.
  return {
    kind: 'answer',
    output: problemResponse(http, problemFor(refusal, clock.now())) as Output,
  }
}

const OUTCOME: Readonly<Record<CallRefusal['kind'], CallOutcome>> = {
  'no key': 'missingKey',
  'other payload': 'conflict',
  running: 'inProgress',
  overtaken: 'superseded',
  'not kept': 'replayed',
  parked: 'blocked',
  misconfigured: 'misconfigured',
  'replay failed': 'misconfigured',
  unavailable: 'unavailable',
}
