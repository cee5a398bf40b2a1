import type { Claim } from '../batch/protocol.ts'
import type { LogFields } from '../logger.ts'
import { type Delivered, refuse } from './delivered.ts'
import type { Taken } from './takeAnswer.ts'
import type { Waiting } from './waiting.ts'

/** What becomes of an answer or a timeout that its run does not go on with. */
export async function receipt(
  delivered: Delivered,
  taken: Exclude<Taken, { kind: 'goesOn' }>,
  about: LogFields,
): Promise<Claim> {
  const now = delivered.invocation.consumer.clock.now()
  if (taken.kind === 'early') return { kind: 'early', until: Math.max(taken.until, now), about }
  switch (taken.receipt) {
    case 'accepted':
      return { kind: 'passedOn', as: 'an accepted answer; the step waits for more', about }
    case 'duplicate':
      return { kind: 'over', as: 'duplicate', about }
    case 'late':
      return late(delivered, { kind: 'over', as: 'late', about })
    case 'conflict':
      return refuse(delivered, {
        reason: 'conflict',
        error:
          'another answer was accepted for this id before; this one was neither used nor dropped',
      })
    case 'unknown':
      return { kind: 'over', as: 'stale', about }
  }
}

/** The run that waits: an answer from outside does not name it. */
export function aboutOf({ uniqueRequestId, key }: Waiting): LogFields {
  return { uniquerequestid: uniqueRequestId, key }
}

/** A timeout that comes late is nothing to tell anybody. */
export async function late({ work, invocation, runs }: Delivered, drop: Claim): Promise<Claim> {
  const isTimeout = work.message.envelope.carried.flow?.timeout === true
  if (runs.late === undefined || isTimeout) return drop
  const [claim] = await runs.late.claim([work], invocation)
  return claim ?? drop
}
