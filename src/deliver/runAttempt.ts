import type { Settlement } from '../claim/settlement.ts'
import { awaitEffects, refuseResult } from '../context/handlerResult.ts'
import type { ContextParts } from '../context/openContext.ts'
import { messageOf } from '../base/errors.ts'
import type { ClaimedRecord } from './claimStrategy.ts'
import { type Attempt, openAttempt, raiseFence } from './delivery.ts'
import type { IncomingRecord } from './incomingRecord.ts'
import type { Invocation } from './invocation.ts'
import { type loadContext, settleBy } from './lazy.ts'
import { settleAttempt } from './settle.ts'

/** The handler has ended, and its end is being stored. Its worker is free for the next record. */
export interface Settling {
  readonly settled: Promise<Settlement>
}

interface Run {
  readonly incoming: IncomingRecord
  readonly claim: ClaimedRecord
  readonly invocation: Invocation
  /** As in PreparedRecord. */
  readonly probe: string | undefined
  readonly openContext: Awaited<ReturnType<typeof loadContext>>['openContext']
}

/** One execution: the handler, then the messages it sends, then the settlement. Never rejects. */
export async function runAttempt(run: Run): Promise<Settling> {
  const { incoming, claim, invocation, probe } = run
  const attempt = openAttempt(incoming, invocation, claim.hold)
  const { hold, logger } = attempt
  const { clock } = invocation.consumer
  // Without this line nothing but the table shows an attempt that was killed.
  logger.debug('started')
  const begun = clock.now()
  invocation.runningHandlers += 1
  const end = await runHandler(attempt, run)
  invocation.runningHandlers -= 1
  invocation.watch?.ran?.(hold.attempt, clock.now() - begun, logger)
  switch (end.kind) {
    case 'completed':
      await invocation.consumer.features.succeeded?.(probe)
      return { settled: settleAttempt(attempt, 'completed', end.sent) }
    case 'timedOut':
      logger.warn('timed out: the handler still ran when the time was up; the record comes back')
      return { settled: Promise.resolve({ kind: 'timedOut', until: invocation.leaseUntil }) }
    case 'threw':
      incoming.trace?.threw(end.error)
      return { settled: settleFailure(withoutPayload(attempt), end.error) }
  }
}

/** Its copy is made from the record: what the handler got would wait in memory until a queue has answered. */
function withoutPayload(attempt: Attempt): Attempt {
  const { incoming } = attempt
  const { message } = incoming
  if (message.kind !== 'readable') return attempt
  return { ...attempt, incoming: { ...incoming, message: { ...message, payload: undefined } } }
}

function settleFailure(attempt: Attempt, error: unknown): Promise<Settlement> {
  const fields = { thrown: messageOf(error) }
  return settleBy((by) => by.handleFailure(attempt, error), attempt.logger, fields)
}

type HandlerEnd =
  | { readonly kind: 'completed'; readonly sent: string | undefined }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'threw'; readonly error: unknown }

async function runHandler(attempt: Attempt, { claim, openContext }: Run): Promise<HandlerEnd> {
  const { message } = attempt.incoming
  const { consumer, over } = attempt.invocation
  const opened = openContext(contextParts(attempt, claim))
  try {
    if (message.kind === 'unread') throw message.error
    if (message.kind === 'refused') throw new Error('a refused message is never run')
    const { payload } = message
    const run = async (): Promise<HandlerEnd> => {
      if (!attempt.hold.fencing.isSurelyFirst) await raiseFence(attempt)
      refuseResult(await awaitEffects(() => claim.run(payload, opened), opened.settled))
      opened.close()
      // A handler that was given up may be frozen with its sandbox and continue after a thaw, when another attempt may have ended
      // already: the messenger sends nothing once `over` has aborted.
      await opened.outbox.flush(consumer.messenger, over)
      return { kind: 'completed', sent: opened.outbox.sent() }
    }
    return (await attempt.invocation.unlessOver(run())) ?? { kind: 'timedOut' }
  } catch (error) {
    return { kind: 'threw', error }
  } finally {
    opened.close()
  }
}

function contextParts(
  { incoming, invocation, hold, logger }: Attempt,
  claim: ClaimedRecord,
): ContextParts {
  const { consumer, signal, lambda } = invocation
  const { message } = incoming
  return {
    scope: {
      store: consumer.store,
      consumer: claim.scope,
      uniqueRequestId: claim.uniqueRequestId,
      hold,
      trace: incoming.trace,
    },
    envelope: message.envelope,
    sentAt: claim.sentAt ?? message.sentAt,
    takenAt: message.takenAt,
    signal,
    remainingTime: () => invocation.remainingTime(),
    logger,
    lambda,
    now: () => consumer.clock.now(),
    count: (misuse) => invocation.watch?.noticed?.(misuse, 1),
    delays: consumer.delays,
    results: { store: consumer.results, clock: consumer.clock, keepFor: consumer.retention },
    sql: consumer.sql,
    payloads: consumer.payloads,
  }
}
