import { readAwaiting } from '../../../claim/awaiting/awaiting.ts'
import { refusalOfAnswer } from '../../../claim/awaiting/decideAnswer.ts'
import { readStageRecord } from '../../../claim/stage/stageRecord.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Item, Store, StoreKey } from '../../../store/store.ts'
import { loadItem } from '../../../sweeper/due/listDue.ts'

/** An answer that an operator has sent to the queue of a step. */
export interface SentAnswer {
  /** Of the step. */
  readonly key: StoreKey
  /** Of the message. */
  readonly id: string
  readonly stepId: string
  /** Of the body. */
  readonly hash: string
}

/**
 * What has become of an answer. `taken`: the step has counted it. `refused`: the step's function has dead-lettered it, and the step
 * waits. `conflict`: another answer was counted for the id. `late`: the step is complete without it, or has timed out.
 * `superseded`: the run is over. `sent`: it is still on its way.
 */
export interface AnswerFate {
  readonly kind: 'taken' | 'refused' | 'conflict' | 'late' | 'superseded' | 'sent'
  /** Of a refusal. */
  readonly why?: string
}

/** @param item the step, read after the record @param record of the key */
function fateOfAnswer(
  { id, stepId, hash }: SentAnswer,
  item: Item | undefined,
  record: Item | undefined,
): AnswerFate {
  const awaiting = item && readAwaiting(item)
  if (item === undefined || awaiting === undefined) return { kind: 'superseded' }
  const counted = awaiting.steps.get(stepId)
  if (counted !== undefined) return { kind: counted === hash ? 'taken' : 'conflict' }
  const why = refusalOfAnswer(item, id)
  if (why !== undefined) return { kind: 'refused', why }
  if (awaiting.joinedBy !== undefined) return { kind: 'late' }
  const run = record && readStageRecord(record)?.run
  // A dead run whose step was reopened holds no key until the answer has revived it.
  const waits = run?.uniqueRequestId === awaiting.uniqueRequestId || awaiting.reopened
  return { kind: waits ? 'sent' : 'superseded' }
}

const PAUSES_MS = [200, 300, 500, 1_000, 2_000]

/**
 * Reads the step until it shows what has become of the answer, or `most` milliseconds have passed.
 * @param onWait called with the milliseconds waited so far
 */
export async function followAnswer(
  store: Store,
  clock: Clock,
  sent: SentAnswer,
  most: number,
  onWait: (waited: number) => void = () => {},
): Promise<AnswerFate> {
  let waited = 0
  for (let round = 0; ; round++) {
    // In this order: an answer that is taken may end the run at once.
    const record = await loadItem(store, { pk: sent.key.pk, sk: 'stage' })
    const item = await loadItem(store, sent.key)
    const fate = fateOfAnswer(sent, item, record)
    if (fate.kind !== 'sent' || waited >= most) return fate
    const pause = Math.min(PAUSES_MS[round] ?? 2_000, most - waited)
    await clock.sleep(pause)
    waited += pause
    onWait(waited)
  }
}
