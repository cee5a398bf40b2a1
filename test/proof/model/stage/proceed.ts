import { holdStage } from '../../../../src/library/protocol/claim/stage/heldStage.ts'
import { readHistory } from '../../../../src/library/protocol/claim/stage/requestHistory.ts'
import type { StageRecord } from '../../../../src/library/protocol/claim/stage/stageRecord.ts'
import type { Item } from '../../../../src/library/protocol/store/store.ts'
import {
  acknowledged,
  bury,
  decide,
  decideEnd,
  abandon,
  hold,
  holdDying,
  readRecord,
  recordIn,
  type Scene,
  settle,
  stays,
} from './act.ts'
import { afterAnswer } from './complete.ts'
import type { Answer, Op } from './op.ts'
import type { Pc } from './pc.ts'
import { standingOf } from './standing.ts'
import { afterStep, skipDone } from './steps.ts'
import type { Worker } from './state.ts'

type At<A extends Pc['at']> = Extract<Pc, { at: A }>

/** The invocation once it has its answer. */
export function proceed(scene: Scene, worker: Worker, op: Op, answer: Answer): Worker {
  const { pc } = worker
  if (pc.at === 'answer' || pc.at === 'accept' || pc.at === 'expire') {
    return settled(scene, afterAnswer(scene, worker, pc, answer))
  }
  return settled(scene, { ...worker, pc: next(scene, worker, pc, op, answer) })
}

/** The stage is settled as soon as the handler has nothing left to do. */
function settled(scene: Scene, worker: Worker): Worker {
  const pc = skipDone(scene, worker.pc)
  const done = pc.at === 'run' && pc.steps.length === 0
  return { ...worker, pc: done ? settle(scene, worker, pc.held) : pc }
}

function next(
  scene: Scene,
  worker: Worker,
  pc: Exclude<Pc, At<'answer' | 'accept' | 'expire'>>,
  op: Op,
  answer: Answer,
): Pc {
  switch (pc.at) {
    case 'claim':
      return afterClaim(scene, worker, pc, answer)
    case 'lookUp':
      return afterLookUp(scene, worker, pc, answer)
    case 'drop':
      return written(answer) ? acknowledged : decideOn(scene, worker, answer)
    case 'wait':
      return written(answer) ? stays : decideOn(scene, worker, answer)
    case 'run':
      return afterStep(scene, worker, pc, op, answer)
    case 'resend':
      return afterOwn(scene, worker, pc, op, answer, { ...pc, at: 'copy' })
    case 'copy':
      return { ...pc, at: 'confirm' }
    case 'die':
      return afterDying(scene, worker, pc, op, answer)
    case 'deadLetter':
      return bury(scene, pc.held)
    case 'earlyDeadLetter':
      return { at: 'claim', verdict: 'deadLetter', write: pc.write }
    case 'leave':
      return afterLeaving(scene, worker, pc, op, answer)
    case 'end':
      return afterEnding(scene, worker, pc, op, answer)
    case 'abandon':
      if (!written(answer)) return pc.after === 'stop' ? stays : decideOn(scene, worker, answer)
      return abandon(scene, readRecord(itemOf(answer)), pc.after)
    case 'refuse':
    case 'confirm':
    case 'ended':
      return acknowledged
  }
}

function written(answer: Answer): boolean {
  return answer.kind === 'applied'
}

function itemOf(answer: Answer): Item {
  if ((answer.kind !== 'applied' && answer.kind !== 'refused') || answer.item === undefined)
    throw new Error('the record is there')
  return answer.item
}

/** The answer of a refused write has the record that refused it. */
function decideOn(scene: Scene, worker: Worker, answer: Answer): Pc {
  const item = answer.kind === 'refused' ? answer.item : undefined
  return decide(scene, worker, item === undefined ? undefined : readRecord(item))
}

function afterClaim(scene: Scene, worker: Worker, pc: At<'claim'>, answer: Answer): Pc {
  if (!written(answer)) return decideOn(scene, worker, answer)
  const record = readRecord(itemOf(answer))
  const early = pc.verdict === 'deadLetter' && scene.protocol.recipe.deadLetter === 'before it'
  return early ? bury(scene, holdDying(record, worker)) : decide(scene, worker, record)
}

function afterLookUp(scene: Scene, worker: Worker, pc: At<'lookUp'>, answer: Answer): Pc {
  const items = answer.kind === 'found' ? answer.items : []
  const known = readHistory(pc.record?.epoch ?? 0, items, 0)
  const next = pc.may === 'claim' ? decide : decideEnd
  return next(scene, worker, pc.record, known)
}

/** A write of the holder: applied, applied before, or the claim is lost. */
function afterOwn(
  scene: Scene,
  worker: Worker,
  pc: At<'resend' | 'die'>,
  op: Op,
  answer: Answer,
  then: Pc,
): Pc {
  if (written(answer)) return then
  const standing = standingOf(scene, pc.held, op, answer)
  switch (standing.kind) {
    case 'written':
      return then
    case 'mine':
      return { ...pc, held: hold(standing.record, worker) }
    case 'gone':
      return decideEnd(scene, worker, standing.record)
    case 'unreadable':
      return stays
  }
}

/** From here on no mark can be added: the returned record is what is stored as the dead request. */
function afterDying(scene: Scene, worker: Worker, pc: At<'die'>, op: Op, answer: Answer): Pc {
  const record = readRecord(itemOf(answer))
  const held = holdStage(record, worker.job.stage, worker.id)
  const dying = held?.entry.status === 'dying' ? holdDying(record, worker) : undefined
  return afterOwn(scene, worker, pc, op, answer, dying ? { at: 'deadLetter', held: dying } : stays)
}

/** The one write that ends a run or leaves it; those to other items may be refused. */
function isDecisive(op: Op): boolean {
  return (
    op.op === 'update' &&
    (op.label === 'settles' || op.label === 'buries' || op.label.startsWith('ends'))
  )
}

function rest(todo: readonly Op[], op: Op, answer: Answer): readonly Op[] {
  const [, ...left] = todo
  return op.op === 'create' && written(answer) ? left.slice(1) : left
}

function afterLeaving(scene: Scene, worker: Worker, pc: At<'leave'>, op: Op, answer: Answer): Pc {
  const todo = rest(pc.todo, op, answer)
  if (isDecisive(op) && !written(answer)) {
    const standing = standingOf(scene, pc.held, op, answer)
    if (standing.kind === 'mine') return leaveAgain(scene, worker, pc, standing.record)
    if (standing.kind !== 'written') {
      return standing.kind === 'gone' ? decideEnd(scene, worker, standing.record) : stays
    }
  }
  return todo.length > 0 ? { ...pc, todo } : acknowledged
}

function leaveAgain(scene: Scene, worker: Worker, pc: At<'leave'>, record: StageRecord): Pc {
  return pc.held.entry.status === 'dying'
    ? bury(scene, holdDying(record, worker))
    : settle(scene, worker, hold(record, worker))
}

function afterEnding(scene: Scene, worker: Worker, pc: At<'end'>, op: Op, answer: Answer): Pc {
  const todo = rest(pc.todo, op, answer)
  if (todo.length > 0 && !(isDecisive(op) && !written(answer))) return { ...pc, todo }
  return pc.after === 'stop' ? stays : decide(scene, worker, recordIn(scene.state))
}
