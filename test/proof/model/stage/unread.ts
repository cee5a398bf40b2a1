import { closingAt, firstStage, KEY, recordIn, requestOf, type Scene } from './act.ts'
import type { Pc } from './pc.ts'
import type { Message, Worker } from './state.ts'

/**
 * A first delivery claims before the record is read. The fence that its message carries is always the present one, so that no claim is
 * refused only because it is not.
 */
export function claimUnread(scene: Scene, worker: Worker, message: Message): Pc | undefined {
  const { scenario, state, protocol } = scene
  const { resendNumber, death, left, stage } = message
  const isNew = resendNumber === 0 && death === undefined && left === scenario.deliveries
  if (!scenario.unread || !isNew) return undefined
  const { epoch: _, ...start } = requestOf(scene, worker, undefined)
  const isFirst = stage === firstStage(scenario)
  const probable = protocol.probableClaim({
    key: KEY,
    request: isFirst ? start : requestOf(scene, worker, undefined),
    notBefore: 0,
    closing: closingAt(state.clock),
    unread: { fence: recordIn(state)?.fence },
    decide: (record) =>
      isFirst
        ? protocol.decideStart(record, requestOf(scene, worker, undefined), state.clock)
        : protocol.decideStage(record, requestOf(scene, worker, undefined), state.clock),
  })
  return probable && { at: 'claim', verdict: probable.verdict.kind, write: probable.write }
}
