import type { HeldStage } from '../../../../src/library/protocol/claim/stage/stageOwnedBy.ts'
import type { DyingEntry } from '../../../../src/library/protocol/claim/stage/stageEntry.ts'
import { writeEntry } from '../../../../src/library/protocol/claim/stage/stageEntry.ts'
import type { StageRecord } from '../../../../src/library/protocol/claim/stage/stageRecord.ts'
import type { Update } from '../../../../src/library/protocol/store/store.ts'
import type { Op } from './op.ts'
import type { Pc } from './pc.ts'
import type { Late, Worker } from './state.ts'

/** All that decides what an invocation will do, in as few words as there are: the search spends its time here. */
export function textOfWorker({
  id,
  message,
  said,
  job,
  leaseUntil,
  again,
  rest,
  stays,
  pc,
}: Worker): string {
  const waiters = rest.map(({ stepId }) => stepId).join()
  const { uid, stage, epoch, after, resendNumber, death } = job
  return `${id} ${message} ${said?.kind} ${said?.externalId} ${said?.answer} ${uid} ${stage} ${epoch} ${after} ${resendNumber} ${death} ${leaseUntil} ${again} ${waiters} ${stays} ${textOfPc(pc)}`
}

export function textOfLate({ by, op }: Late): string {
  return `${textOfWorker(by)} ${textOfOp(op)}`
}

function textOfPc(pc: Pc): string {
  switch (pc.at) {
    case 'claim':
    case 'earlyDeadLetter':
      return `${pc.at} ${pc.at === 'claim' ? pc.verdict : ''} ${textOfClaim(pc.write)}`
    case 'lookUp':
      return `lookUp ${pc.may} ${pc.record === undefined ? '' : textOfRecord(pc.record)}`
    case 'drop':
    case 'wait':
      return `${pc.at} ${textOfUpdate(pc.update)}`
    case 'abandon':
      return `abandon ${pc.after} ${textOfUpdate(pc.update)}`
    case 'refuse':
      return `refuse ${pc.death}`
    case 'run':
      return `run ${textOfHeld(pc.held)} ${JSON.stringify(pc.steps)}`
    case 'resend':
    case 'copy':
    case 'confirm':
      return `${pc.at} ${pc.next} ${textOfHeld(pc.held)}`
    case 'die':
      return `die ${pc.unknown} ${textOfHeld(pc.held)}`
    case 'deadLetter':
      return `dead letter ${textOfHeld(pc.held)}`
    case 'leave':
      return `leave ${textOfHeld(pc.held)} ${pc.todo.map(textOfOp).join(' then ')}`
    case 'end':
      return `end ${pc.after} ${pc.todo.map(textOfOp).join(' then ')}`
    case 'answer':
      return `answer ${pc.waiter.stepId}`
    case 'accept':
      return `accept ${pc.waiter.stepId} ${textOfUpdate(pc.completion.update)}`
    case 'expire':
      return `expire ${pc.waiter.stepId} ${textOfUpdate(pc.update)}`
    case 'ended':
      return 'ended'
  }
}

function textOfClaim(write: Extract<Pc, { at: 'claim' }>['write']): string {
  return write.kind === 'create' ? JSON.stringify(write.item) : textOfUpdate(write.update)
}

function textOfUpdate({ key, where, set, remove, addTo }: Update): string {
  return `${key.sk} ${JSON.stringify([where, set, remove, addTo])}`
}

function textOfOp(op: Op): string {
  switch (op.op) {
    case 'update':
    case 'effect':
      return `${op.op} ${textOfUpdate(op.update)}`
    default:
      return JSON.stringify(op)
  }
}

/** The record as it was last seen, and the marks added since. */
function textOfHeld({ record, run, stage, entry }: HeldStage | HeldStage<DyingEntry>): string {
  const marks = [...run.marks].toSorted().join()
  return `${stage} ${writeEntry(entry)} ${marks} ${textOfRecord(record)}`
}

const texts = new WeakMap<StageRecord, string>()

function textOfRecord(record: StageRecord): string {
  const known = texts.get(record)
  if (known !== undefined) return known
  const { run, ...rest } = record
  const stages = [...(run?.stages ?? [])].map(([name, entry]) => `${name} ${writeEntry(entry)}`)
  const marks = [...(run?.marks ?? [])].toSorted()
  const text = JSON.stringify([
    rest,
    run?.uniqueRequestId,
    run?.giveUpAt,
    run?.reopened,
    stages.toSorted(),
    marks,
  ])
  texts.set(record, text)
  return text
}
