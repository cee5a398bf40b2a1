import { messageOf } from '../errors.ts'
import { sortableId } from '../ids.ts'
import type { KeyClaim } from '../claim/token/claimKey.ts'
import { timeLeft } from '../claim/token/lease.ts'
import type { Token } from '../claim/token/token.ts'
import type { Item } from '../store/store.ts'
import { claimOrWait, runsUntil } from './claimOrWait.ts'
import type { Guard } from './config.ts'
import { hold } from './heldKey.ts'
import { problemAnswer } from './http/problem.ts'
import { keepAlive } from './keepAlive.ts'
import type { CallOutcome } from './keyConfig.ts'
import { arrive, type Call, isPreflight, leaseFrom, readCall } from './readCall.ts'
import { reasonOf } from './readKey.ts'
import { errorOf, problemOf, type Refusal } from './refusal.ts'
import { replay } from './replay.ts'
import { type Answered, openRun, type Run } from './run.ts'

/** What a guarded call comes to before its function is run. */
export type Entered<Output> =
  /** The key is held: run the function, and tell `run` how it ended. */
  | { readonly kind: 'run'; readonly run: Run<Output> }
  /** The option `when` says so: run the function, and tell nobody. */
  | { readonly kind: 'unguarded' }
  | Answered<Output>

/** @param fn what is guarded; undefined: the Lambda handler itself, behind other middlewares. */
export async function enter<Args extends readonly unknown[], Output>(
  guard: Guard<Args, Output>,
  args: Args,
  fn: ((...args: never[]) => unknown) | undefined,
): Promise<Entered<Output>> {
  const arrival = arrive(guard, args)
  const wanted = await isWanted(guard, args)
  if (wanted.kind === 'no') return { kind: 'unguarded' }
  const call = await readCall(guard, args, fn, arrival)
  const { identity, http } = call
  if (wanted.kind === 'broken')
    return refuse(guard, call, { kind: 'misconfigured', why: WHEN_THREW, because: wanted.because })
  if (http !== undefined && isPreflight(http)) return { kind: 'unguarded' }
  if (identity.kind === 'missing') {
    const { why, because } = identity
    return refuse(guard, call, { kind: 'no key', why, because })
  }
  if (identity.kind === 'misconfigured') return refuse(guard, call, identity)
  try {
    return await claimAndEnter(guard, call, identity)
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    return refuse(guard, call, { kind: 'unavailable', error })
  }
}

type Wanted =
  | { readonly kind: 'yes' | 'no' }
  | { readonly kind: 'broken'; readonly because: string }

const WHEN_THREW = 'when threw, so nobody knows whether this call is protected. Nothing was run.'

async function isWanted<Args extends readonly unknown[], Output>(
  { options: { when } }: Guard<Args, Output>,
  args: Args,
): Promise<Wanted> {
  try {
    return { kind: (await when?.(...args)) === false ? 'no' : 'yes' }
  } catch (error) {
    return { kind: 'broken', because: reasonOf(error) }
  }
}

async function claimAndEnter<Args extends readonly unknown[], Output>(
  guard: Guard<Args, Output>,
  call: Call,
  { pk, payloadHash }: Extract<Call['identity'], { kind: 'key' }>,
): Promise<Entered<Output>> {
  const { lambda, scope, patience, calledAt, lease } = call
  const { retention } = guard
  const attemptId = sortableId(calledAt)
  const lockedBy = `${lambda?.functionName ?? scope}/${lambda?.awsRequestId ?? attemptId}`
  const claim = await claimOrWait(
    guard,
    (now) => ({
      pk,
      attemptId,
      lockedBy,
      payloadHash,
      retention,
      ...leaseFrom(lease, now),
    }),
    calledAt,
    patience,
  )
  switch (claim.kind) {
    case 'failed':
      return refuse(guard, call, { kind: 'unavailable', error: claim.error })
    case 'claimed':
      guard.count(scope, 'started')
      return { kind: 'run', run: begin(guard, call, claim) }
    case 'taken': {
      const until = runsUntil(claim.by)
      if (until !== undefined) return refuse(guard, call, { kind: 'running', until })
      if (claim.by.kind === 'conflict') return refuse(guard, call, { kind: 'other payload' })
      return answerFrom(guard, call, claim.item, calledAt + patience)
    }
  }
}

function begin<Args extends readonly unknown[], Output>(
  guard: Guard<Args, Output>,
  call: Call,
  { token, item }: Extract<KeyClaim, { kind: 'claimed' }>,
): Run<Output> {
  const { least, isRenewed } = call.lease
  const holding = hold(guard, token, item, {
    scope: call.scope,
    lockToken: token.pk,
    timeLeft: () => (isRenewed ? undefined : timeLeft(call.lambda)),
    ...(isRenewed ? { stop: keepAlive(guard, token, least) } : {}),
  })
  return openRun(guard, call.http, holding, () => answerOfOther(guard, call, token))
}

/** @param until how long to wait for a result that is being put away, epoch milliseconds. */
async function answerFrom<Args extends readonly unknown[], Output>(
  guard: Guard<Args, Output>,
  call: Call,
  item: Item,
  until: number,
): Promise<Answered<Output>> {
  let replayed = await replay(guard, call.http, item)
  while (replayed.kind === 'on its way' && guard.clock.now() < until) {
    await guard.clock.sleep(LOOK_AGAIN_MS)
    replayed = await replay(guard, call.http, item)
  }
  switch (replayed.kind) {
    case 'on its way':
      return refuse(guard, call, { kind: 'running', until: replayed.until })
    case 'refused':
      return refuse(guard, call, replayed.refusal)
    default:
      guard.count(call.scope, 'replayed')
      return replayed
  }
}

const LOOK_AGAIN_MS = 200

/** For a call that was overtaken: what it came to itself is not what later callers are given, so it is given to nobody. */
async function answerOfOther<Args extends readonly unknown[], Output>(
  guard: Guard<Args, Output>,
  call: Call,
  { pk }: Token,
): Promise<Answered<Output>> {
  try {
    const [read] = await guard.store.read([{ pk, sk: 'token' }], { consistent: true })
    const item = read?.kind === 'found' ? read.item : undefined
    if (item !== undefined && item['status'] === undefined) {
      return await answerFrom(guard, call, item, guard.clock.now() + call.patience)
    }
  } catch (error) {
    guard.logger.warn('the answer of the other attempt cannot be read', { error: messageOf(error) })
  }
  return refuse(guard, call, { kind: 'overtaken' })
}

function refuse<Args extends readonly unknown[], Output>(
  { logger, clock, count }: Guard<Args, Output>,
  { http, scope, identity }: Call,
  refusal: Refusal,
): Answered<Output> {
  const error = errorOf(refusal)
  count(scope, OUTCOME[refusal.kind])
  const lockToken = identity.kind === 'key' ? identity.pk : undefined
  const level = refusal.kind === 'misconfigured' ? 'error' : 'warn'
  const line = { why: refusal.kind, scope, lockToken, error: error.message }
  logger[level](refusal.kind === 'overtaken' ? 'run, and not answered' : 'not run', line)
  if (http === undefined) return { kind: 'throw', error }
  // A handler of HTTP requests answers with responses; that its type leaves this one out is known to TypeScript only.
  return { kind: 'answer', output: problemAnswer(http, problemOf(refusal, clock.now())) as Output }
}

const OUTCOME: Readonly<Record<Refusal['kind'], CallOutcome>> = {
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
