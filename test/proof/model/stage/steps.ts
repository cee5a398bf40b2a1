import { readAwaiting } from '../../../../src/library/protocol/claim/awaiting/awaiting.ts'
import type { HeldStage } from '../../../../src/library/protocol/claim/stage/stageOwnedBy.ts'
import { decideEnd, hold, recordIn, type Scene, stays } from './act.ts'
import { type Listed, listKey, waiterOf, wantedBy } from './awaits.ts'
import type { Answer, Op } from './op.ts'
import type { Awaited, Micro, Pc } from './pc.ts'
import { standingOf } from './standing.ts'
import type { Worker } from './state.ts'

type Running = Extract<Pc, { at: 'run' }>

/** What an earlier attempt has done is not requested again. */
export function skipDone({ protocol }: Scene, pc: Pc): Pc {
  if (pc.at !== 'run') return pc
  const open = pc.steps.findIndex(
    (step) => step.do !== 'effect' || !protocol.isApplied(pc.held, step.name),
  )
  return { ...pc, steps: open === -1 ? [] : pc.steps.slice(open) }
}

export function afterStep(scene: Scene, worker: Worker, pc: Running, op: Op, answer: Answer): Pc {
  const [step, ...rest] = pc.steps
  const next: Running = { ...pc, steps: rest }
  switch (step?.do) {
    case 'effect':
    case 'start':
      return afterMark(scene, worker, pc, next, op, answer)
    case 'begin':
      return afterLook(scene, pc.held, next, step, answer)
    case 'save':
      return afterSave(scene, worker, next, step, answer)
    case 'list':
      return afterList(scene, next, step, answer)
    default:
      return next
  }
}

function afterMark(
  scene: Scene,
  worker: Worker,
  pc: Running,
  next: Running,
  op: Op,
  answer: Answer,
): Pc {
  if (op.op !== 'effect' && op.op !== 'update') throw new Error(`${op.op} marks nothing`)
  const marked = { ...next, held: scene.protocol.withEffect(pc.held, op.update) }
  if (answer.kind === 'applied') return marked
  const standing = standingOf(scene, pc.held, op, answer)
  switch (standing.kind) {
    case 'written':
      return marked
    case 'mine':
      return { ...pc, held: hold(standing.record, worker) }
    case 'gone':
      return decideEnd(scene, worker, standing.record)
    case 'unreadable':
      return stays
  }
}

/** A call with `stop` whose outcome is unknown is never repeated: the request ends as unknown. */
function afterLook(
  { protocol }: Scene,
  held: HeldStage,
  next: Running,
  { name, as }: Extract<Micro, { do: 'begin' }>,
  answer: Answer,
): Pc {
  if (answer.kind === 'found' && answer.items[0] !== undefined) return next
  const calls: Micro[] = [
    { do: 'call', name },
    { do: 'store', name },
  ]
  if (as === 'repeat') return { ...next, steps: [...calls, ...next.steps] }
  const state = protocol.callState(held, name)
  if (state.kind === 'inDoubt') return { at: 'die', held, unknown: true }
  const nth = state.kind === 'never' ? 1 : state.nth + 1
  return { ...next, steps: [{ do: 'start', name, nth }, ...calls, ...next.steps] }
}

function afterSave(
  scene: Scene,
  worker: Worker,
  next: Running,
  step: Awaited & { do: 'save' },
  answer: Answer,
): Pc {
  if (answer.kind !== 'refused') return next
  const standing = answer.item && readAwaiting(answer.item)
  const saving = scene.protocol.saveAwaiting(standing, wantedBy(next.held, step), 0)
  switch (saving.kind) {
    case 'saved':
      return next
    case 'stale':
      return decideEnd(scene, worker, recordIn(scene.state))
    case 'update':
      return { ...next, steps: [{ ...step, update: saving.update }, ...next.steps] }
    case 'create':
      return { ...next, steps: [{ ...step, update: undefined }, ...next.steps] }
  }
}

function afterList(
  { protocol }: Scene,
  next: Running,
  step: Listed & { do: 'list' },
  answer: Answer,
): Pc {
  if (answer.kind !== 'refused') return next
  const waiter = waiterOf(next.held, step)
  const write = protocol.addWaiter(listKey(step), answer.item, waiter, 0)
  if (write.kind === 'listed') return next
  const update = write.kind === 'update' ? write.update : undefined
  return { ...next, steps: [{ do: 'list', name: step.name, id: step.id, update }, ...next.steps] }
}
