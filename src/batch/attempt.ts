import type { EffectScope } from '../context/effectScope.ts'
import { type OpenContext, openContext } from '../context/openContext.ts'
import { handleFailure } from './handleFailure.ts'
import type { Invocation } from './invocation.ts'
import type { ClaimedRecord } from './claimStrategy.ts'
import { recordLogger } from './recordLogger.ts'
import { settleEnd } from './settleEnd.ts'
import type { Settlement } from '../claim/settlement.ts'
import type { IncomingRecord } from './incomingRecord.ts'

/** The handler has ended; its end is on the way to the store. The worker is free for the next record meanwhile. */
export interface Settling {
  readonly settled: Promise<Settlement>
}

/** One execution: handler, then what it sends, then the settlement. Never rejects. */
export async function runAttempt(
  incoming: IncomingRecord,
  claim: ClaimedRecord,
  invocation: Invocation,
): Promise<Settling> {
  const { consumer } = invocation
  const { message } = incoming
  const { hold } = claim
  const logger = recordLogger(consumer, message, hold.fields)
  const scope: EffectScope = {
    store: consumer.store,
    consumer: claim.scope,
    uniqueRequestId: claim.uniqueRequestId,
    hold,
  }
  const opened = openContext({
    scope,
    envelope: message.envelope,
    sentAt: claim.sentAt ?? message.sentAt,
    takenAt: message.takenAt,
    signal: invocation.signal,
    remainingTime: () => invocation.remainingTime(),
    logger,
    lambda: invocation.lambda,
    now: () => consumer.clock.now(),
    results: { store: consumer.results, clock: consumer.clock, keepFor: consumer.retention },
  })
  const begun = consumer.clock.now()
  invocation.runningHandlers += 1
  const outcome = await execute(incoming, opened, invocation, claim)
  invocation.runningHandlers -= 1
  invocation.tally?.ran(hold.attempt, consumer.clock.now() - begun)
  switch (outcome.kind) {
    case 'done':
      logger.info('succeeded')
      return { settled: settleEnd(hold, { kind: 'completed' }, invocation, logger) }
    case 'timedOut':
      logger.warn('timed out: the handler still ran when the time was up; the record comes back')
      return { settled: Promise.resolve({ kind: 'timedOut', until: invocation.leaseUntil }) }
    case 'threw':
      return { settled: handleFailure(incoming, hold, outcome.error, invocation, logger) }
  }
}

type HandlerEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'threw'; readonly error: unknown }

async function execute(
  { message }: IncomingRecord,
  opened: OpenContext,
  { consumer, signal, gracePeriod }: Invocation,
  claim: ClaimedRecord,
): Promise<HandlerEnd> {
  // What has timed out may be frozen with its sandbox and go on when that thaws: by then another attempt may have ended.
  const over = new AbortController()
  try {
    if (message.kind === 'unread') throw message.error
    if (message.kind === 'refused') throw new Error('a refused message is never run')
    const { payload } = message
    const run = async (): Promise<HandlerEnd> => {
      await runToItsEnd(() => claim.run(payload, opened), opened.settled)
      opened.close()
      over.signal.throwIfAborted()
      await opened.outbox.flush(consumer.messenger, over.signal)
      return { kind: 'done' }
    }
    const outcome = await withinTime(run(), signal, gracePeriod)
    // Only then is it still running; to abort for every record costs an error and its stack each.
    if (outcome.kind === 'timedOut') over.abort()
    return outcome
  } catch (error) {
    return { kind: 'threw', error }
  } finally {
    opened.close()
  }
}

/**
 * Also a handler that failed may have calls under way (Promise.all gives up at the first error): before another attempt is
 * invited they have to end, or it would find an outside call in doubt that is only not yet answered.
 */
async function runToItsEnd(run: () => unknown, settled: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    await settled().catch(() => {})
    throw error
  }
  await settled()
}

/** Whoever does not heed the signal must not take the finished records of the batch down with it. */
async function withinTime(
  run: Promise<HandlerEnd>,
  signal: AbortSignal,
  grace: number,
): Promise<HandlerEnd> {
  const late = Promise.withResolvers<HandlerEnd>()
  let timer: NodeJS.Timeout | undefined
  const countDown = (): void => {
    timer = setTimeout(() => late.resolve({ kind: 'timedOut' }), grace)
  }
  if (signal.aborted) countDown()
  else signal.addEventListener('abort', countDown, { once: true })
  try {
    return await Promise.race([run, late.promise])
  } finally {
    signal.removeEventListener('abort', countDown)
    clearTimeout(timer)
  }
}
