import { messageOf, toError } from '../../base/errors.ts'
import { lambdaFields } from '../../base/handler.ts'
import { type LogFields, withFields } from '../../base/logger.ts'
import { sortableId } from '../../base/sortableId.ts'
import type { KeyClaim } from '../../protocol/claim/token/claimKey.ts'
import { timeAhead } from '../../protocol/claim/lease.ts'
import type { Token } from '../../protocol/claim/token/token.ts'
import type { Item } from '../../protocol/store/store.ts'
import { claimOrWait, runsUntil } from './claimOrWait.ts'
import type { OpenCall } from './contextSource.ts'
import type { CallKey } from './callKey.ts'
import type { IdempotencyConfig } from './config.ts'
import { holdKey } from './heldKey.ts'
import { isPreflight } from './http/httpEvent.ts'
import { problemResponse } from './http/httpAnswer.ts'
import { refusalFromElsewhere } from './alreadyDone.ts'
import { renewLease } from './renewLease.ts'
import type { CallMetric } from '../../features/metrics/metrics.ts'
import { arrive, type IncomingCall, leaseFrom, readCall } from './readCall.ts'
import { reasonOf } from './readKey.ts'
import { errorFor, problemFor, type CallRefusal } from './refusal.ts'
import { replay } from './replay.ts'
import { type CallAnswer, type CallSettlement, settlementFor } from './settle.ts'

/** The result of a call before its function runs: its key, or an answer without a run. */
type Acquired<Output> =
  /** The key is held: run the function, with the `ctx` of `opened` if there is one, then report its end to `settle`. */
  | RunningCall<Output>
  /** The option `when` returned false, or the call is a preflight: run the function without a key. */
  | { readonly kind: 'unprotected' }
  | CallAnswer<Output>

interface RunningCall<Output> {
  readonly kind: 'run'
  readonly settle: CallSettlement<Output>
  readonly opened: OpenCall | undefined
}

/**
 * Reads the call, computes its key and claims it. A call that may not run is answered here: with the first run's answer, or with
 * a refusal.
 * @param fn the wrapped function; undefined: the Lambda handler itself, behind other middlewares.
 */
export async function acquire<Args extends readonly unknown[], Output>(
  shared: IdempotencyConfig<Args, Output>,
  args: Args,
  fn: ((...args: never[]) => unknown) | undefined,
): Promise<Acquired<Output>> {
  const arrival = arrive(shared, args)
  const config = { ...shared, logger: withFields(shared.logger, lambdaFields(arrival.lambda)) }
  const protection = await protectionOf(config, args)
  if (protection.kind === 'no') return { kind: 'unprotected' }
  const call = await readCall(shared, args, fn, arrival)
  const { key, http } = call
  if (protection.kind === 'broken') {
    const { because } = protection
    return refuse(config, call, { kind: 'misconfigured', why: WHEN_THREW, because })
  }
  if (http !== undefined && isPreflight(http) && config.context === undefined) {
    // A function that is given `ctx` cannot run without a key.
    return { kind: 'unprotected' }
  }
  if (key.kind === 'missing') {
    const { why, because } = key
    return refuse(config, call, { kind: 'no key', why, because })
  }
  if (key.kind === 'misconfigured') return refuse(config, call, key)
  try {
    const instead = await refusalFromElsewhere(config, args, key.pk)
    if (instead !== undefined) return refuse(config, call, instead)
    return await claim(config, { ...call, event: args[0] }, key)
  } catch (thrown) {
    const error = toError(thrown)
    return refuse(config, call, { kind: 'unavailable', error })
  }
}

type Protection =
  | { readonly kind: 'yes' | 'no' }
  | { readonly kind: 'broken'; readonly because: string }

const WHEN_THREW = 'when threw, so it is not known whether to protect this call. Nothing was run.'

async function protectionOf<Args extends readonly unknown[], Output>(
  { options: { when } }: IdempotencyConfig<Args, Output>,
  args: Args,
): Promise<Protection> {
  try {
    return { kind: (await when?.(...args)) === false ? 'no' : 'yes' }
  } catch (error) {
    // @protects a call whose option fails is not run unprotected
    // @without { kind: 'no' }
    return { kind: 'broken', because: reasonOf(error) }
  }
}

/** @property event the first argument */
type ClaimingCall = IncomingCall & { readonly event: unknown }

async function claim<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  call: ClaimingCall,
  { pk, payloadHash }: Extract<CallKey, { kind: 'key' }>,
): Promise<Acquired<Output>> {
  const { lambda, name, maxWait, calledAt, lease } = call
  const { retention } = config
  const attemptId = sortableId(calledAt)
  const lockedBy = `${lambda?.functionName ?? name}/${lambda?.awsRequestId ?? attemptId}`
  const claimed = await claimOrWait(config, {
    request: (now) => ({
      pk,
      attemptId,
      lockedBy,
      payloadHash,
      retention,
      listedAtOnce: false,
      fenced: config.context?.fencedCall(call, now),
      ...leaseFrom(lease, now),
    }),
    calledAt,
    maxWait,
  })
  switch (claimed.kind) {
    case 'failed':
      return refuse(config, call, { kind: 'unavailable', error: claimed.error })
    case 'claimed':
      config.begun(name, claimed)
      config.logger.debug('started', { name, ...startedOf(claimed.token) })
      return begun(holdWhileRunning(config, call, claimed))
    case 'taken': {
      const until = runsUntil(claimed.by)
      if (until !== undefined) return refuse(config, call, { kind: 'running', until })
      // @protects another payload under one key is a conflict
      if (claimed.by.kind === 'conflict') return refuse(config, call, { kind: 'other payload' })
      return answerFromStore(config, call, claimed.item, calledAt + maxWait)
    }
  }
}

function startedOf({ pk: lockToken, attempt, fence }: Token): LogFields {
  return { lockToken, attempt, fence }
}

/** @throws why the function must not run; its key is free again */
async function begun<Output>(running: RunningCall<Output>): Promise<RunningCall<Output>> {
  try {
    await running.opened?.begin()
    return running
  } catch (error) {
    await running.settle.failed(error)
    throw error
  }
}

function holdWhileRunning<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  call: ClaimingCall,
  { token, item, isSurelyFirst }: Extract<KeyClaim, { kind: 'claimed' }>,
): RunningCall<Output> {
  const { lambda, event, name } = call
  const held = { store: config.store, token }
  const opened = config.context?.open({ config, name, held, isSurelyFirst, lambda, event })
  const stopRenewal = renewLease(config, { token, item }, call.lease)
  const heldKey = holdKey(config, {
    held,
    item,
    name,
    lockToken: token.pk,
    timeLeft: () => timeAhead(lambda),
    stopRenewal: () => {
      stopRenewal()
      opened?.ended()
    },
    hasKeptEffects: opened?.hasKeptEffects,
  })
  const settle = settlementFor(config, {
    http: call.http,
    heldKey,
    answerOfSuccessor: () => answerOfSuccessor(config, call, token),
  })
  return { kind: 'run', settle, opened }
}

/** @param until how long to wait for a result that is still being stored, epoch milliseconds. */
async function answerFromStore<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  call: IncomingCall,
  item: Item,
  until: number,
): Promise<CallAnswer<Output>> {
  let replayed = await replay(config, call.http, item)
  while (replayed.kind === 'not yet stored' && config.clock.now() < until) {
    await config.clock.sleep(POLL_MS)
    replayed = await replay(config, call.http, item)
  }
  switch (replayed.kind) {
    case 'not yet stored':
      return refuse(config, call, { kind: 'running', until: replayed.until })
    case 'refused':
      return refuse(config, call, replayed.refusal)
    default:
      config.count(call.name, 'replayed')
      return replayed
  }
}

const POLL_MS = 200

/**
 * The answer for a call whose key another attempt took over while it ran. Later callers will receive the successor's result, so
 * this caller must not receive its own.
 */
async function answerOfSuccessor<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  call: IncomingCall,
  { pk }: Token,
): Promise<CallAnswer<Output>> {
  // The call has run, and its end is counted as superseded.
  const uncounted = { ...config, count: () => {} }
  try {
    const [read] = await config.store.read([{ pk, sk: 'token' }], { consistent: true })
    const item = read?.kind === 'found' ? read.item : undefined
    if (item !== undefined && item['status'] === undefined) {
      return await answerFromStore(uncounted, call, item, config.clock.now() + call.maxWait)
    }
  } catch (error) {
    config.logger.warn('cannot read the answer of the attempt that took over the key', {
      error: messageOf(error),
    })
  }
  return refuse(uncounted, call, { kind: 'overtaken' })
}

function refuse<Args extends readonly unknown[], Output>(
  { logger, clock, count }: IdempotencyConfig<Args, Output>,
  { http, name, key }: IncomingCall,
  refusal: CallRefusal,
): CallAnswer<Output> {
  const error = errorFor(refusal)
  count(name, OUTCOME[refusal.kind])
  const lockToken = key.kind === 'key' ? key.pk : undefined
  const level = refusal.kind === 'misconfigured' ? 'error' : 'warn'
  const line = { why: refusal.kind, name, lockToken, error: error.message }
  logger[level](refusal.kind === 'overtaken' ? 'run, but its answer was not used' : 'not run', line)
  if (http === undefined) return { kind: 'throw', error }
  // The function's own response type may not include a problem response, but the caller of an HTTP handler can read one.
  return {
    kind: 'answer',
    output: problemResponse(http, problemFor(refusal, clock.now())) as Output,
  }
}

const OUTCOME: Readonly<Record<CallRefusal['kind'], CallMetric>> = {
  'no key': 'missingKey',
  'other payload': 'conflict',
  running: 'inProgress',
  overtaken: 'superseded',
  'not kept': 'replayed',
  'done elsewhere': 'replayed',
  parked: 'blocked',
  misconfigured: 'misconfigured',
  'replay failed': 'misconfigured',
  unavailable: 'unavailable',
}
