import { decideEarly } from '../claim/awaiting/decideAnswer.ts'
import type { Claim } from '../deliver/claimStrategy.ts'
import { toMilliseconds } from '../base/options.ts'
import { type AnswerDelivery, refuse } from './answerDelivery.ts'

/**
 * The answer may have arrived before its step was saved. It waits on the queue, with growing pauses, until the grace time is
 * over.
 */
export function unmatchedAnswer(delivered: AnswerDelivery, externalId: string): Claim {
  const { flow, name, work, invocation } = delivered
  const now = invocation.consumer.clock.now()
  const { takenAt: sentAt } = work.message
  const grace = toMilliseconds('grace', flow.awaits.get(name)?.grace ?? '5m')
  const early = decideEarly({ sentAt, grace }, now)
  if (early.kind === 'early') {
    const soon = now + Math.max(EARLY_MS, EARLY_FACTOR * (now - sentAt))
    return { kind: 'early', until: Math.min(early.until, soon), about: { externalId } }
  }
  return refuse({
    reason: 'unknown step',
    error: `no run of flow '${flow.name}' waits for '${externalId}' as '${name}', and none has within ${grace / 1_000} s`,
  })
}

const EARLY_MS = 2_000
const EARLY_FACTOR = 3
