import type { EndReason } from '../../../../src/library/protocol/claim/settlement.ts'
import type { Answer, Op } from './op.ts'
import { deadRunKey, readDeadRun } from '../../../../src/library/protocol/claim/stage/deadRun.ts'
import { KEY, type Scene } from './act.ts'
import { broken, factOf, isNewer, note } from './facts.ts'
import { opOf } from './ops.ts'
import { perform } from './perform.ts'
import { proceed } from './proceed.ts'
import type { Scenario } from './scenario.ts'
import { addressOf, idIn, type Job, type Late, type State, type Worker } from './state.ts'

export interface Move {
  readonly words: string
  readonly state: State
}

export function named({ job, id, message }: Worker): string {
  return message === undefined ? job.stage : `${job.uid || 'the answer'} ${job.stage} ${id}`
}

/** All that an invocation can do next, and all that can happen to it. */
export function workerMoves(scene: Scene, worker: Worker): Move[] {
  const asked = opOf(scene, worker)
  if (asked === undefined) throw new Error(`${worker.pc.at} asks for nothing`)
  const op = scene.protocol.rewrite(asked)
  const who = `${named(worker)} ${inWords(op)}`
  const performed = perform(scene.scenario, scene.state, worker, op)
  const next = goOn({ ...scene, state: performed.state }, worker, op, performed.answer)
  const moves: Move[] = [{ words: who, state: next }]
  if (scene.state.faults > 0)
    moves.push(...faultyMoves(scene, worker, op, performed.state, next, who))
  if (worker.pc.at === 'run' && scene.state.errors > 0) moves.push(failing(scene, worker))
  return moves
}

/** After the answer: the worker as it then is, or gone. */
function goOn(scene: Scene, worker: Worker, op: Op, answer: Answer): State {
  if (scene.state.facts.bad !== undefined) return scene.state
  const next = proceed(scene, { ...worker, again: false }, op, answer)
  return place(scene.scenario, beforeCopy(scene, next), next)
}

/** Where the message is deleted before its resend is on the queue. */
function beforeCopy({ protocol, state }: Scene, { pc, message }: Worker): State {
  if (pc.at !== 'copy' || protocol.recipe.copy === 'before the acknowledgement') return state
  return { ...state, queue: state.queue.filter(({ id }) => id !== message) }
}

/** Places a worker: running, at its next run, or at its end. */
export function place(scenario: Scenario, state: State, worker: Worker): State {
  if (worker.pc.at === 'ended') return leave(scenario, state, worker)
  const [before] = state.workers.filter(({ id }) => id === worker.id)
  const others = state.workers.filter(({ id }) => id !== worker.id)
  const next = { ...state, workers: [...others, worker] }
  const { pc } = worker
  const isEmpty = pc.at === 'leave' && before?.pc.at === 'claim' && pc.held.entry.status === 'open'
  const runs = pc.at === 'run' || isEmpty
  return runs && before?.pc.at !== 'run' ? countRun(scenario, next, worker) : next
}

function countRun(scenario: Scenario, state: State, { job, said }: Worker): State {
  const fact = factOf(state.facts, job.uid)
  const runs = (fact.runs[job.stage] ?? 0) + 1
  const answer = said === undefined || said.answer === '' ? '' : `${said.externalId} ${said.answer}`
  const heard = answer === '' ? fact.heard : { ...fact.heard, [job.stage]: answer }
  const facts = note(state.facts, job.uid, { heard, runs: { ...fact.runs, [job.stage]: runs } })
  const before = fact.heard[job.stage] ?? answer
  if (answer !== '' && before !== answer)
    return {
      ...state,
      facts: broken(facts, `A1 one step goes on with two answers: ${job.uid} ${job.stage}`),
    }
  if (said?.kind === 'complete' && isTooFew(scenario, state, job.stage))
    return {
      ...state,
      facts: broken(facts, `J1 a join goes on too early: ${job.uid} ${job.stage}`),
    }
  if (runs <= scenario.maxAttempts) return { ...state, facts }
  return { ...state, facts: broken(facts, `B1 executions over budget: ${job.uid} ${job.stage}`) }
}

function isTooFew({ stages }: Scenario, { asked }: State, name: string): boolean {
  const steps = Object.values(stages).flat()
  return steps.some((step) => {
    if (!('awaits' in step) || step.awaits !== name) return false
    const given = new Set([...asked].flatMap(([one, times]) => (times > 0 ? [idIn(one)] : [])))
    return step.ids.filter((id) => given.has(id)).length < step.need
  })
}

function leave(scenario: Scenario, state: State, worker: Worker): State {
  if (worker.pc.at !== 'ended') return state
  const stay = worker.stays || worker.pc.how === 'stay'
  const [waiter, ...rest] = worker.rest
  if (waiter !== undefined) {
    const on: Worker = { ...worker, rest, stays: stay, pc: { at: 'answer', waiter } }
    return { ...state, workers: [...state.workers.filter(({ id }) => id !== worker.id), on] }
  }
  return stay ? release(state, worker) : acknowledge(scenario, state, worker)
}

function acknowledge(scenario: Scenario, state: State, worker: Worker): State {
  const workers = state.workers.filter(({ id }) => id !== worker.id)
  const queue = state.queue.filter(({ id }) => id !== worker.message)
  return { ...state, workers, queue, facts: watchAcknowledged(scenario, state, worker) }
}

const ENDED: ReadonlySet<EndReason | 'replaced' | undefined> = new Set<EndReason>([
  'stale',
  'duplicate',
  'reset',
  'alreadyDeadLettered',
  'superseded',
])

function watchAcknowledged(scenario: Scenario, state: State, { pc, job }: Worker): State['facts'] {
  const { facts } = state
  if (pc.at !== 'ended' || job.uid === '') return facts
  if (pc.as === 'replaced') {
    return job.death === 0
      ? broken(facts, `T4 a dead letter is taken for an older copy: ${job.uid} ${job.stage}`)
      : facts
  }
  const { started, end } = factOf(facts, job.uid)
  if (pc.as === 'coalesced' || pc.as === 'dropped')
    return end === '' ? note(facts, job.uid, { end: pc.as }) : facts
  if (!ENDED.has(pc.as)) return facts
  const orphan = orphanOf(scenario, state, job)
  if (orphan !== undefined) return broken(facts, orphan)
  const newer = facts.newest !== '' && isNewer(scenario, facts.newest, job.uid)
  if (started || end !== '' || (scenario.process === 'newest' && newer)) return facts
  return broken(facts, `X1 ${pc.as} without a newer one started: ${job.uid}`)
}

/** Nothing else reports a stage that was given up without a dead letter, or reopens one whose dead letter is gone. */
function orphanOf(
  scenario: Scenario,
  { items, facts }: State,
  { uid, stage, death }: Job,
): string | undefined {
  if (scenario.process === 'newest' && isNewer(scenario, facts.newest, uid)) return undefined
  const { end, deaths } = factOf(facts, uid)
  if (end !== 'dead') return undefined
  const item = items.get(addressOf(deadRunKey(KEY, uid)))
  const entry = (item && readDeadRun(item))?.stages.get(stage)
  if (death !== undefined) {
    const isDead = item === undefined || (entry?.status === 'dead' && entry.epoch === death)
    if (death === 0 || deaths[stage] !== death || !isDead) return undefined
    return `T2 a redriven dead letter is dropped: ${uid} ${stage}`
  }
  if (item === undefined || entry?.status === 'settled') return undefined
  const [newest = 0, dead] = [deaths[stage], entry?.status === 'dead' ? entry.epoch : 1]
  if (newest >= dead) return undefined
  return `T1 a stage of a dead request ends without a dead letter: ${uid} ${stage}`
}

/** The message is redelivered, unless maxReceiveCount is reached. */
export function release(state: State, worker: Worker): State {
  const workers = state.workers.filter(({ id }) => id !== worker.id)
  const message = state.queue.find(({ id }) => id === worker.message)
  if (message === undefined || message.holder !== worker.id) return { ...state, workers }
  const others = state.queue.filter((one) => one !== message)
  if (message.left > 0) return { ...state, workers, queue: [...others, { ...message, holder: '' }] }
  const uids = message.uid === '' ? Object.keys(state.facts.of) : [message.uid]
  let { facts } = state
  for (const uid of uids) facts = note(facts, uid, { reported: true })
  return { ...state, workers, queue: others, facts }
}

function faultyMoves(
  { state }: Scene,
  worker: Worker,
  op: Op,
  performed: State,
  next: State,
  who: string,
): Move[] {
  const faults = state.faults - 1
  const writes = op.op === 'create' || op.op === 'update' || op.op === 'effect'
  const killed = (left: State): State => wasted({ ...release(left, worker), faults }, worker)
  const moves: Move[] = [{ words: `${named(worker)} is killed`, state: killed(state) }]
  const ends = next.workers.every(({ id }) => id !== worker.id)
  if (ends) moves.push({ words: `${who}, and is killed`, state: killed(performed) })
  if (!writes) return moves
  const late: Late = { by: { ...worker, message: undefined, again: false }, op }
  const lost = killed(state)
  moves.push({
    words: `${who}: killed, the write is still on its way`,
    state: { ...lost, late: [...lost.late, late] },
  })
  if (!worker.again) {
    const again = performed.workers.map((one) =>
      one === worker ? { ...worker, again: true } : one,
    )
    moves.push({
      words: `${who}: the answer is lost`,
      state: { ...performed, workers: again, faults },
    })
  }
  return moves
}

/** A claim that was written without a run has cost an attempt. */
export function wasted(state: State, worker: Worker): State {
  return worker.again && worker.pc.at === 'claim' ? waste(state, worker) : state
}

function waste(state: State, { job }: Worker): State {
  const fact = factOf(state.facts, job.uid)
  const more = { ...fact.wasted, [job.stage]: (fact.wasted[job.stage] ?? 0) + 1 }
  return { ...state, facts: note(state.facts, job.uid, { wasted: more }) }
}

function failing({ scenario, state }: Scene, worker: Worker): Move {
  const { pc } = worker
  if (pc.at !== 'run') throw new Error('only a handler fails')
  const { held } = pc
  const next = Math.max(held.entry.resendNumber, worker.job.resendNumber) + 1
  const failed: Worker =
    held.entry.attempt >= scenario.maxAttempts
      ? { ...worker, pc: { at: 'die', held, unknown: false } }
      : { ...worker, pc: { at: 'resend', held, next } }
  const workers = state.workers.map((one) => (one === worker ? failed : one))
  return { words: `${named(worker)} fails`, state: { ...state, workers, errors: state.errors - 1 } }
}

export function lateMoves(scene: Scene): Move[] {
  return scene.state.late.map((late) => {
    const { by, op } = late
    const { state, answer } = perform(scene.scenario, scene.state, by, op)
    const left = { ...state, late: state.late.filter((one) => one !== late) }
    const claimed = answer.kind === 'applied' && by.pc.at === 'claim'
    return { words: `late: ${named(by)} ${inWords(op)}`, state: claimed ? waste(left, by) : left }
  })
}

export function inWords(op: Op): string {
  switch (op.op) {
    case 'effect':
      return `applies ${op.name}`
    case 'send':
      return `sends ${op.message.stage}`
    case 'deadLetter':
      return 'sends the dead letter'
    case 'call':
      return `calls ${op.name}`
    case 'ask':
      return `asks ${op.externalId}`
    default:
      return op.label
  }
}
