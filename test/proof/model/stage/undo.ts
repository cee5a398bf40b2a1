import { deadRunKey } from '../../../../src/claim/stage/deadRun.ts'
import { newToken, takeOver } from '../../../../src/claim/token/claimWrites.ts'
import { type ClaimRequest, decideClaim } from '../../../../src/claim/token/decideClaim.ts'
import { addEffect } from '../../../../src/claim/token/tokenWrites.ts'
import { complete } from '../../../../src/claim/token/settleWrites.ts'
import { firstToken, readToken, type Token, tokenKey } from '../../../../src/claim/token/token.ts'
import { effectsOf } from '../../../../src/features/undo/effectsMade.ts'
import {
  markUndone,
  type ParkedUndo,
  readParkedUndo,
} from '../../../../src/features/undo/parkDead.ts'
import { stagesToUndo, undoId } from '../../../../src/features/undo/decideEnding.ts'
import { displayId } from '../../../../src/sweeper/address.ts'
import type { Item } from '../../../../src/store/store.ts'
import { askOps, endRun, undoOp } from './endUndo.ts'
import { acknowledged, decide, KEY, readRecord, type Scene, stays } from './act.ts'
import type { Answer, Op } from './op.ts'
import type { Pc, UndoPc } from './pc.ts'
import type { Scenario } from './scenario.ts'
import { addressOf, type Message, type State, type Worker } from './state.ts'

/** After the fence the record is read anew, because until then marks could be added. */
export function afterFence(
  scene: Scene,
  worker: Worker,
  pc: Extract<UndoPc, { at: 'fence' | 'fenced' }>,
  answer: Answer,
): Pc {
  if (pc.at === 'fence' && answer.kind === 'applied') {
    return { at: 'fenced', as: pc.as, after: pc.after }
  }
  const item =
    answer.kind === 'found' ? answer.items[0] : answer.kind === 'refused' ? answer.item : undefined
  const record = item && readRecord(item)
  if (pc.after === 'decide') return decide(scene, worker, record)
  if (record?.run?.ending === undefined) return pc.after === 'stop' ? stays : acknowledged
  return endRun(scene, record, pc.as, pc.after)
}

export function parkedIn({ items }: State, uid: string): ParkedUndo | undefined {
  return readParkedUndo(items.get(addressOf(deadRunKey(KEY, uid))))
}

/** What the sweeper finds beside the record: undos that were never asked for. */
export function sweepUndo({ scenario, state, protocol }: Scene): Pc | undefined {
  if (protocol.recipe.sweeper === 'none') return undefined
  for (const { uid } of scenario.requests) {
    const parked = parkedIn(state, uid)
    const isDue = parked?.undo === 'due' && parked.notBefore <= state.clock
    if (parked !== undefined && isDue) {
      return { at: 'end', todo: askOps(parked, state.clock), after: 'stop' }
    }
  }
  return undefined
}

export const UNDOES_DEAD = 'asks to undo the dead'

/** The operator looks at a dead request, to undo it. */
export function undoDeadMoves({ scenario, state }: Scene): readonly Item[] {
  if (state.undos === 0) return []
  return scenario.requests.flatMap(({ uid }) => {
    const item = state.items.get(addressOf(deadRunKey(KEY, uid)))
    return item === undefined || item['undo'] !== undefined ? [] : [item]
  })
}

function afterPlan(
  { protocol, state }: Scene,
  { item }: Extract<UndoPc, { at: 'plan undo' }>,
  answer: Answer,
): Pc {
  const [found] = answer.kind === 'found' ? answer.items : []
  const record = found && readRecord(found)
  const id = displayId(KEY.pk)
  const plan = protocol.planUndoDead({ item, record, isKept: true, id, now: state.clock })
  const parked = readParkedUndo({ ...item, undo: 'due' })
  if (plan.kind !== 'change' || plan.effect.kind !== 'send' || parked === undefined) return stays
  const { before, mark } = plan.effect
  const raise: Op[] =
    before === undefined ? [] : [{ op: 'update', label: UNDOES_DEAD, update: before }]
  const due: Op = { op: 'update', label: UNDOES_DEAD, update: mark }
  return { at: 'end', todo: [...raise, due, ...askOps(parked, state.clock)], after: 'stop' }
}

/** A message that asks for an undo: a record of its own, with a token of its own. */
export function claimUndo(scene: Scene, worker: Worker): Pc {
  const { state, protocol } = scene
  const { uid, stage, epoch } = worker.job
  const parked = parkedIn(state, uid)
  if (parked === undefined || parked.undo === 'undone' || parked.epoch !== epoch) {
    return acknowledged
  }
  if (protocol.recipe.undo !== 'at once' && parked.notBefore > state.clock) return stays
  const pk = tokenKey(`f.${stage}`, undoId(uid, epoch, stage)).pk
  const item = state.items.get(addressOf({ pk, sk: 'token' }))
  const request = requestOf(worker, pk)
  const verdict = decideClaim(item && readToken(item), request, state.clock)
  switch (verdict.kind) {
    case 'start': {
      const write = { kind: 'create', item: newToken(request, 0) } as const
      return { at: 'claimUndo', parked, write, token: firstToken(request) }
    }
    case 'takeOver': {
      const update = takeOver(verdict.token, request, 0)
      const token = { ...verdict.token, attemptId: worker.id }
      return { at: 'claimUndo', parked, write: { kind: 'update', update }, token }
    }
    case 'mine':
      return runUndo(scene, worker, parked, verdict.token)
    case 'over':
      return verdict.as === 'duplicate' ? acknowledged : stays
    default:
      return stays
  }
}

function requestOf({ id, leaseUntil }: Worker, pk: string): ClaimRequest {
  return {
    pk,
    attemptId: id,
    lockedBy: '',
    leaseUntil,
    expectedCompletion: leaseUntil,
    maxAttempts: 99,
    payloadHash: undefined,
    trustsUnhashed: false,
    resendNumber: 0,
    death: undefined,
    deadLetter: false,
    refused: false,
  }
}

function runUndo({ protocol }: Scene, { job }: Worker, parked: ParkedUndo, token: Token): Pc {
  const made = effectsOf(parked.marks, job.stage)
  const names = [...made].filter(([, state]) => state !== 'not made').map(([name]) => name)
  const open = names.filter(
    (name) => protocol.recipe.undo === 'unmarked' || !token.applied.has(name),
  )
  const calls = names.filter((name) => made.get(name) === 'begun')
  return { at: 'undo', parked, token, todo: open.toSorted(), calls }
}

function following(parked: ParkedUndo, stage: string): string | undefined {
  const stages = stagesToUndo(parked.plan, parked)
  return stages[stages.findIndex((one) => one.stage === stage) + 1]?.stage
}

export function undoOpOf({ protocol }: Scene, { job }: Worker, pc: UndoPc): Op {
  switch (pc.at) {
    case 'fence':
      return { op: 'update', label: 'fences it', update: pc.update }
    case 'fenced':
      return { op: 'read', label: 'reads it again', keys: [KEY] }
    case 'claimUndo':
      return pc.write.kind === 'create'
        ? { op: 'create', label: 'claims the undo', items: [pc.write.item] }
        : { op: 'update', label: 'claims the undo', update: pc.write.update }
    case 'reopen':
      return { op: 'update', label: 'begins to reopen', update: pc.update }
    case 'plan undo':
      return { op: 'read', label: 'reads the record', keys: [KEY] }
    case 'undo': {
      const [name] = pc.todo
      if (name !== undefined) {
        const update = addEffect(pc.token, name)
        const isCall = pc.calls.includes(name)
        const mark = `${job.stage}${isCall ? '?' : ':'}${name}`
        return { op: 'undo', mark, update }
      }
      return protocol.recipe.undo === 'settled first'
        ? settleOp(pc.token)
        : handOnOp(pc.parked, job.stage)
    }
    case 'settleUndo':
      return protocol.recipe.undo === 'settled first'
        ? handOnOp(pc.parked, job.stage)
        : settleOp(pc.token)
  }
}

function handOnOp(parked: ParkedUndo, stage: string): Op {
  const next = following(parked, stage)
  return next === undefined
    ? { op: 'update', label: 'notes that all is undone', update: markUndone(parked, 0, 0) }
    : undoOp(parked, next)
}

const REMEMBERED_MS = 1_000_000

function settleOp(token: Token): Op {
  return { op: 'update', label: 'settles the undo', update: complete(token, 0, REMEMBERED_MS) }
}

export function afterUndoOp(scene: Scene, worker: Worker, pc: UndoPc, answer: Answer): Pc {
  switch (pc.at) {
    case 'fence':
    case 'fenced':
      return afterFence(scene, worker, pc, answer)
    case 'claimUndo':
      return claimUndo(scene, worker)
    case 'reopen':
      return answer.kind === 'applied'
        ? { at: 'claim', verdict: 'reopen', write: pc.write }
        : decide(scene, worker, pc.record)
    case 'plan undo':
      return afterPlan(scene, pc, answer)
    case 'undo': {
      const [name, ...rest] = pc.todo
      if (name === undefined) return { at: 'settleUndo', parked: pc.parked, token: pc.token }
      if (answer.kind === 'refused') {
        const isMine = answer.item?.['attemptId'] === worker.id
        return isMine ? { ...pc, todo: rest } : stays
      }
      return { ...pc, todo: rest }
    }
    case 'settleUndo':
      return acknowledged
  }
}

export function undoMessageOf(
  { uid, epoch, stage }: Extract<Op, { op: 'ask for undo' }>,
  id: string,
): Message {
  return {
    id,
    kind: 'undo',
    uid,
    stage,
    epoch,
    after: '',
    resendNumber: 0,
    death: undefined,
    externalId: '',
    answer: '',
    left: 3,
    holder: '',
  }
}

/** Everything rests: what an ended run has done is undone, or an operator knows of it. */
export function leftBehind({ undo }: Scenario, state: State): string | undefined {
  for (const [uid, { end, done, undone, reported }] of Object.entries(state.facts.of)) {
    const asked = end === 'dead' && parkedIn(state, uid) !== undefined
    if (reported || (end !== 'undone' && end !== 'superseded' && !asked)) continue
    const left = done.find((mark) => isOf(undo, mark) && !undone.includes(mark))
    if (left !== undefined) return `U8 an effect stays behind: ${uid} ${left}`
    const parked = parkedIn(state, uid)
    if (parked !== undefined && parked.undo !== 'undone') {
      return `U9 an undo has no end: ${uid} is ${parked.undo}`
    }
  }
  return undefined
}

/** Something is to be undone, and waits only for the time. */
export function waitsForTime(scenario: Scenario, state: State): boolean {
  return scenario.requests.some(({ uid }) => {
    const parked = parkedIn(state, uid)
    return parked?.undo === 'due' && parked.notBefore > state.clock
  })
}

function isOf(stages: readonly string[], mark: string): boolean {
  return stages.some((stage) => mark.startsWith(`${stage}:`) || mark.startsWith(`${stage}?`))
}
