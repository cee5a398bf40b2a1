import type { Held } from '../context/effectHold.ts'
import { type OpenContext, openContext } from '../context/openContext.ts'
import { fail } from './handleFailure.ts'
import type { Invocation } from './invocation.ts'
import type { Claimed } from './claimStrategy.ts'
import { recordLogger } from './recordLogger.ts'
import { settleEnd } from './settleEnd.ts'
import type { Settlement } from '../claim/settlement.ts'
import type { Work } from './incomingRecord.ts'

/** The handler has ended; its end is on the way to the store. The lane is free for the next record meanwhile. */
export interface Ended {
  readonly settled: Promise<Settlement>
}

/** One execution: handler, then what it sends, then the settlement. Never rejects. */
export async function attempt(work: Work, claim: Claimed, invocation: Invocation): Promise<Ended> {
  const { consumer } = invocation
  const { message } = work
  const { hold } = claim
  const logger = recordLogger(consumer, message, hold.fields)
  const held: Held = {
    store: consumer.store,
    consumer: claim.scope,
    uniqueRequestId: claim.uniqueRequestId,
    hold,
  }
  const opened = openContext({
    held,
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
  invocation.running += 1
  const outcome = await execute(work, opened, invocation, claim)
  invocation.running -= 1
  invocation.tally?.ran(hold.attempt, consumer.clock.now() - begun)
  switch (outcome.kind) {
    case 'done':
      logger.info('succeeded')
      return { settled: settleEnd(hold, { kind: 'completed' }, invocation, logger) }
    case 'timedOut':
      logger.warn('timed out: the handler still ran when the time was up; the record comes back')
      return { settled: Promise.resolve({ kind: 'timedOut', until: invocation.leaseUntil }) }
    case 'threw':
      return { settled: fail(work, hold, outcome.error, invocation, logger) }
  }
}

type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'threw'; readonly error: unknown }

async function execute(
  { message }: Work,
  opened: OpenContext,
  { consumer, signal, grace }: Invocation,
  claim: Claimed,
): Promise<Outcome> {
  // What has timed out may be frozen with its sandbox and go on when that thaws: by then another attempt may have ended.
  const over = new AbortController()
  try {
    if (message.kind === 'unread') throw message.error
    if (message.kind === 'refused') throw new Error('a refused message is never run')
    const { payload } = message
    const run = async (): Promise<Outcome> => {
      await endOf(() => claim.run(payload, opened), opened.settled)
      opened.close()
      over.signal.throwIfAborted()
      await opened.outbox.flush(consumer.messenger, over.signal)
      return { kind: 'done' }
    }
    const outcome = await untilTimeIsUp(run(), signal, grace)
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
async function endOf(run: () => unknown, settled: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    await settled().catch(() => {})
    throw error
  }
  await settled()
}

/** Whoever does not heed the signal must not take the finished records of the batch down with it. */
async function untilTimeIsUp(
  run: Promise<Outcome>,
  signal: AbortSignal,
  grace: number,
): Promise<Outcome> {
  const late = Promise.withResolvers<Outcome>()
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
