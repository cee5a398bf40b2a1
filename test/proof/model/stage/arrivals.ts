import {
  deadRunKey,
  diedAt,
  readDeadRun,
} from '../../../../src/library/protocol/claim/stage/deadRun.ts'
import type { RunDrop } from '../../../../src/library/protocol/claim/stage/dropRun.ts'
import { upsert } from './ends.ts'
import type { Op } from './op.ts'
import type { Step } from './scenario.ts'
import {
  closingAt,
  decide,
  endingOps,
  abandon,
  leaseFrom,
  LONG,
  PAUSE,
  KEY,
  recordIn,
  type Scene,
} from './act.ts'
import { findWaiters } from './complete.ts'
import { claimUnread } from './unread.ts'
import { type Move, place, wasted } from './moves.ts'
import {
  addressOf,
  FORGER,
  idIn,
  type Job,
  type Message,
  type State,
  type Worker,
} from './state.ts'
import { leaseOf } from '../../../../src/library/protocol/claim/stage/stageEntry.ts'
import { UNTIL } from './awaits.ts'
import { readAwaiting } from '../../../../src/library/protocol/claim/awaiting/awaiting.ts'

/** A message reaches an invocation. `free` ones cost no fault. */
export function deliveries(scene: Scene): { readonly free: Move[]; readonly faulty: Move[] } {
  const { scenario, state } = scene
  const free: Move[] = []
  const faulty: Move[] = []
  const busy = state.workers.filter(({ message }) => message !== undefined).length
  if (busy >= scenario.invocations) return { free, faulty }
  const seen = new Set<string>()
  for (const message of state.queue) {
    const what = JSON.stringify({ ...message, id: '', holder: message.holder === '' })
    if (seen.has(what) && message.holder === '') continue
    seen.add(what)
    const again = message.holder !== ''
    if ((again && state.faults === 0) || message.left === 0) continue
    for (const { move, costs } of arrivalsOf(scene, message)) {
      const faults = Number(costs || again)
      if (faults > state.faults) continue
      const charged = { ...move, state: { ...move.state, faults: state.faults - faults } }
      if (faults === 0) free.push(charged)
      else faulty.push(charged)
    }
  }
  return { free, faulty }
}

function arrivalsOf(scene: Scene, message: Message): Arrival[] {
  const soon = arrive(scene, message)
  if (message.kind !== 'stage') return [...whenever(scene, message, soon)]
  if (soon !== undefined) return [{ move: soon, costs: false }]
  const paused = afterPause(scene, message)
  return paused === undefined ? afterLeases(scene, message) : [paused]
}

interface Arrival {
  readonly move: Move
  readonly costs: boolean
}

/** An answer finds out only on its way whether it can do anything. */
function whenever(scene: Scene, message: Message, soon: Move | undefined): Arrival[] {
  const { state } = scene
  const waits = state.clock < UNTIL && state.timeouts < scene.scenario.timeouts
  const paused = waits ? afterPause(scene, message) : undefined
  const leases = [...(recordIn(state)?.run?.stages.values() ?? [])].map(leaseOf)
  return [
    ...(soon === undefined ? [] : [{ move: soon, costs: false }]),
    ...(paused === undefined ? [] : [paused]),
    ...(leases.some((lease) => lease > state.clock) ? afterLeases(scene, message) : []),
  ]
}

function afterPause(scene: Scene, message: Message): Arrival | undefined {
  const paused = arrive(later(scene, PAUSE), message)
  return paused && { move: saying(paused, 'after a pause'), costs: false }
}

function afterLeases(scene: Scene, message: Message): Arrival[] {
  const late = arrive(later(scene, LONG), message)
  if (late === undefined) return []
  const live = scene.state.workers
  const move = { ...late, state: live.reduce(wasted, late.state) }
  return [{ move: saying(move, 'when leases are over'), costs: live.length > 0 }]
}

function later(scene: Scene, by: number): Scene {
  return { ...scene, state: { ...scene.state, clock: scene.state.clock + by } }
}

function saying({ words, state }: Move, when: string): Move {
  return { words: `${words}, ${when}`, state }
}

/** undefined: it would return to the queue at once, with nothing changed. */
function arrive(scene: Scene, message: Message): Move | undefined {
  const { state, scenario } = scene
  const id = `@${state.serial}@`
  const { uid, stage, epoch, after, resendNumber, death } = message
  const job: Job = { uid, stage, epoch, after, resendNumber, death }
  const idle: Worker = {
    id,
    message: message.id,
    job,
    leaseUntil: leaseFrom(state.clock),
    again: false,
    said: { kind: message.kind, externalId: message.externalId, answer: message.answer },
    rest: [],
    stays: false,
    pc: { at: 'ended', how: 'stay', as: undefined },
  }
  const worker =
    message.kind === 'stage'
      ? { ...idle, pc: claimUnread(scene, idle, message) ?? decide(scene, idle, recordIn(state)) }
      : findWaiters(scene, idle, message)
  if (worker.pc.at === 'ended' && worker.pc.how === 'stay') return undefined
  const held = { ...message, holder: id, left: message.left - 1 }
  const queue = state.queue.map((one) => (one === message ? held : one))
  const next = place(scenario, { ...state, queue, serial: state.serial + 1 }, worker)
  const copy = message.resendNumber > 0 ? ` copy ${message.resendNumber}` : ''
  const ended = worker.pc.at === 'ended' ? `, ${worker.pc.as ?? 'acknowledged'}` : ''
  return {
    words: `${uid || message.externalId} ${stage}${copy} arrives as ${id}${ended}`,
    state: next,
  }
}

/** What can happen without a message, and need not. */
export function outsideMoves(scene: Scene): Move[] {
  return [
    ...resetMoves(scene),
    ...dropMoves(scene),
    ...redriveMoves(scene),
    ...restoreMoves(scene),
    ...forgeMoves(scene),
  ]
}

/** No attempt runs, and no message is left that would start anew: such a request cannot know that it has started before. */
function restoreMoves({ scenario, state }: Scene): Move[] {
  const { restores, workers, queue, late } = state
  const begins = queue.some(({ epoch, kind }) => kind === 'stage' && epoch === 0)
  if (restores === 0 || begins || queue.length === 0 || workers.length + late.length > 0) return []
  if (recordIn(state) === undefined) return []
  const items = new Map()
  if (scenario.record !== undefined) items.set(addressOf(KEY), { ...KEY, ...scenario.record })
  return [{ words: 'the table is restored', state: { ...state, items, restores: restores - 1 } }]
}

/** Any sender to a queue can know a run, and its epoch. */
function forgeMoves({ scenario, state }: Scene): Move[] {
  const record = recordIn(state)
  const last = Object.keys(scenario.stages).at(-1)
  if (state.forges === 0 || record?.run === undefined || last === undefined) return []
  const message: Message = {
    kind: 'stage',
    uid: record.run.uniqueRequestId,
    stage: last,
    epoch: record.epoch,
    after: FORGER,
    death: undefined,
    resendNumber: 0,
    externalId: '',
    answer: '',
    id: `@${state.serial}@`,
    left: scenario.deliveries,
    holder: '',
  }
  const queue = [...state.queue, message]
  const next = { ...state, queue, serial: state.serial + 1, forges: state.forges - 1 }
  return [{ words: `a message for ${last} is forged`, state: next }]
}

const OUTSIDE: Omit<Worker, 'id' | 'job' | 'pc'> = {
  leaseUntil: 0,
  message: undefined,
  again: false,
  said: undefined,
  rest: [],
  stays: false,
}

function outsider(state: State, who: string, pc: Worker['pc'], uid = ''): State {
  const job: Job = { uid, stage: who, epoch: 0, after: '', resendNumber: 0, death: undefined }
  const worker: Worker = { ...OUTSIDE, id: `@${state.serial}@`, job, pc }
  return { ...state, workers: [...state.workers, worker], serial: state.serial + 1 }
}

function resetMoves(scene: Scene): Move[] {
  const { state, protocol } = scene
  const record = recordIn(state)
  if (state.resets === 0 || record?.run === undefined) return []
  const ending = protocol.resetFromOutside(record, closingAt(0))
  if (ending === undefined) return []
  const todo = endingOps(scene, ending)
  const next = outsider(state, 'the operator', { at: 'end', todo, after: 'stop' })
  return [{ words: 'the operator looks, to reset', state: { ...next, resets: state.resets - 1 } }]
}

/** Every dead request that is listed. */
function dropMoves(scene: Scene): Move[] {
  const { state, protocol } = scene
  if (state.drops === 0) return []
  return [...state.items.values()].flatMap((item): Move[] => {
    const dead = item['statusShard'] === undefined ? undefined : readDeadRun(item)
    if (dead === undefined || item['sk'] !== deadRunKey(KEY, dead.uniqueRequestId).sk) return []
    const died = diedAt(item)
    const drop = protocol.dropDeadRun(KEY, recordIn(state), { ...dead, died }, closingAt(0))
    if (drop === undefined) return []
    const { uniqueRequestId: uid } = dead
    const next = outsider(
      state,
      'the operator',
      { at: 'end', todo: dropOps(drop), after: 'stop' },
      uid,
    )
    const words = `the operator looks, to drop ${uid}`
    return [{ words, state: { ...next, drops: state.drops - 1 } }]
  })
}

function dropOps({ mark, ending, afterwards }: RunDrop): Op[] {
  const { remember, finish, report } = ending
  return [
    { op: 'update', label: 'ends its redrives', update: mark },
    ...remember.flatMap((one) => upsert('begins a record', one)),
    { op: 'update', label: 'ends it as dropped', update: finish, report },
    { op: 'update', label: 'unlists it', update: afterwards },
  ]
}

function redriveMoves({ scenario, state }: Scene): Move[] {
  if (state.redrives === 0) return []
  return state.deadLetters.map((deadLetter) => {
    const message: Message = {
      kind: 'stage',
      uid: deadLetter.uid,
      stage: deadLetter.stage,
      epoch: deadLetter.epoch,
      after: deadLetter.after,
      death: deadLetter.death,
      resendNumber: 0,
      externalId: '',
      answer: '',
      id: `@${state.serial}@`,
      left: scenario.deliveries,
      holder: '',
    }
    const queue = [...state.queue, message]
    const next = { ...state, queue, serial: state.serial + 1, redrives: state.redrives - 1 }
    return {
      words: `the operator redrives the dead letter of ${deadLetter.uid} ${deadLetter.stage}`,
      state: next,
    }
  })
}

/** External systems answer the questions they got. */
export function answerMoves(scene: Scene): Move[] {
  const { scenario, state } = scene
  const overdue = timeoutMoves(scene)
  if (scenario.silent) return overdue
  const answers = [...state.asked]
    .filter(([, given]) => given < scenario.answers)
    .map(([question, given]) => {
      const answer = scenario.contradicts && given > 0 ? 'other' : 'yes'
      const next = post(scene, 'complete', idIn(question), answer)
      const asked = new Map(state.asked).set(question, given + 1)
      return { words: `the question ${question} is answered ${answer}`, state: { ...next, asked } }
    })
  return [...answers, ...overdue]
}

function timeoutMoves(scene: Scene): Move[] {
  const { state } = scene
  const waits = [...state.items.values()].some(
    (item) => readAwaiting(item)?.joinedBy === undefined && 'need' in item,
  )
  const [question] = state.asked.keys()
  if (!waits || question === undefined || state.timeouts === 0) return []
  const next = {
    ...post(scene, 'timeout', idIn(question), 'timeout'),
    timeouts: state.timeouts - 1,
  }
  return [{ words: 'the sweeper sends the timeout', state: next }]
}

function post(
  { scenario, state }: Scene,
  kind: 'complete' | 'timeout',
  externalId: string,
  answer: string,
): State {
  const message: Message = {
    kind,
    uid: '',
    stage: awaitOf(scenario.stages, externalId),
    epoch: 0,
    after: '',
    resendNumber: 0,
    death: undefined,
    externalId,
    answer,
    id: `@${state.serial}@`,
    left: scenario.deliveries,
    holder: '',
  }
  return { ...state, queue: [...state.queue, message], serial: state.serial + 1 }
}

function awaitOf(stages: Readonly<Record<string, readonly Step[]>>, externalId: string): string {
  const steps = Object.values(stages).flat()
  const step = steps.find((one) => 'awaits' in one && one.ids.includes(externalId))
  return step !== undefined && 'awaits' in step ? step.awaits : ''
}

/** The sweeper finds a run that has no time left. */
export function sweeperMoves(scene: Scene): Move[] {
  const { state } = scene
  const record = recordIn(state)
  if (state.workers.some(({ message }) => message === undefined)) return []
  if (record?.run === undefined) return []
  const pc = abandon(scene, record, 'stop')
  if (pc.at === 'ended') return []
  return [{ words: 'the sweeper finds it overdue', state: outsider(state, 'the sweeper', pc) }]
}
