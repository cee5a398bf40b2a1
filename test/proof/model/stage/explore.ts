import { withFormat } from '../../../../src/library/protocol/store/format.ts'
import { leaseOf } from '../../../../src/library/protocol/claim/stage/stageEntry.ts'
import type { StageRun } from '../../../../src/library/protocol/claim/stage/stageRecord.ts'
import { AGE, firstStage, KEY, LONG, NOON, recordIn, type Scene } from './act.ts'
import { answerMoves, deliveries, outsideMoves, sweeperMoves } from './arrivals.ts'
import { keyOf } from './keyOf.ts'
import { broken, noFacts } from './facts.ts'
import { isTold, lostIn, staleIn, unreportedIn, untoldIn } from './watchRest.ts'
import { lateMoves, type Move, workerMoves } from './moves.ts'
import type { Protocol } from './protocol.ts'
import type { Scenario } from './scenario.ts'
import { addressOf, type Message, type State } from './state.ts'

export interface Report {
  readonly states: number
  /** The limit came first. */
  readonly cut: boolean
  readonly violation: string | undefined
  readonly trace: readonly string[]
}

interface Seen {
  readonly parents: number[]
  readonly choices: number[]
}

/** Breadth first, so that the first violation is one of the shortest. */
export function explore(scenario: Scenario, protocol: Protocol): Report {
  const known = new Set<string>()
  const seen: Seen = { parents: [-1], choices: [0] }
  const start = begin(scenario)
  known.add(keyOf(start))
  let level: { state: State; at: number }[] = [{ state: start, at: 0 }]
  while (level.length > 0) {
    const next: typeof level = []
    for (const { state, at } of level) {
      const moves = movesOf({ scenario, protocol, state })
      for (const [choice, move] of moves.entries()) {
        const { bad } = move.state.facts
        const key = keyOf(move.state)
        if (bad === undefined && known.has(key)) continue
        seen.parents.push(at)
        seen.choices.push(choice)
        const here = seen.parents.length - 1
        if (bad !== undefined) return report(scenario, protocol, seen, here, known.size, bad)
        known.add(key)
        next.push({ state: move.state, at: here })
      }
      if (known.size >= scenario.limit)
        return { states: known.size, cut: true, violation: undefined, trace: [] }
    }
    level = next
  }
  return { states: known.size, cut: false, violation: undefined, trace: [] }
}

function report(
  scenario: Scenario,
  protocol: Protocol,
  { parents, choices }: Seen,
  at: number,
  states: number,
  violation: string,
): Report {
  const path: number[] = []
  for (let here = at; here > 0; here = parents[here] ?? 0) path.unshift(choices[here] ?? 0)
  const trace: string[] = []
  let state = begin(scenario)
  for (const choice of path) {
    const move = movesOf({ scenario, protocol, state })[choice]
    if (move === undefined) throw new Error('a repeated path took another turn')
    trace.push(move.words)
    state = move.state
  }
  return { states, cut: false, violation, trace }
}

export function begin(scenario: Scenario): State {
  const queue = scenario.requests.flatMap(({ uid, copies = 1 }) =>
    Array.from({ length: copies }, () => uid),
  )
  const items = new Map()
  if (scenario.record !== undefined)
    items.set(addressOf(KEY), withFormat({ ...KEY, process: scenario.process, ...scenario.record }))
  const { faults, errors, resets, drops, redrives, ages, timeouts, restores, forges } = scenario
  return {
    items,
    past: new Map(),
    queue: queue.map((uid, index) => firstMessage(scenario, uid, index)),
    deadLetters: [],
    workers: [],
    late: [],
    asked: new Map(),
    facts: noFacts(scenario),
    clock: NOON,
    faults,
    errors,
    resets,
    drops,
    timeouts,
    redrives,
    restores,
    forges,
    ages,
    copies: queue.length,
    serial: queue.length,
  }
}

function firstMessage(scenario: Scenario, uid: string, index: number): Message {
  return {
    id: `@${index}@`,
    kind: 'stage',
    uid,
    stage: firstStage(scenario),
    epoch: 0,
    after: '',
    resendNumber: 0,
    death: undefined,
    externalId: '',
    answer: '',
    left: scenario.deliveries,
    holder: '',
  }
}

/** All possible next moves. A search stops at its limit of copies. */
export function movesOf(scene: Scene): Move[] {
  const { state, scenario } = scene
  if (state.copies > scenario.copies) return []
  const { free, faulty } = deliveries(scene)
  const due = [
    ...state.workers.flatMap((worker) => workerMoves(scene, worker)),
    ...free,
    ...lateMoves(scene),
    ...answerMoves(scene),
    ...sweeperMoves(scene),
  ]
  const may = [...faulty, ...outsideMoves(scene), ...hurry(scene)]
  return due.length > 0 ? [...due, ...may] : [...atRest(scene), ...may]
}

/** Time runs out for all that runs, while an attempt may be running. */
function hurry({ state }: Scene): Move[] {
  if (state.faults === 0 || state.ages === 0 || recordIn(state)?.run === undefined) return []
  return [older(state, state.faults - 1)]
}

function older(state: State, faults: number): Move {
  return {
    words: 'no time is left for what runs',
    state: { ...state, clock: state.clock + AGE, ages: Math.max(0, state.ages - 1), faults },
  }
}

/** No attempt runs, and no message changes anything. */
function atRest({ scenario, state }: Scene): Move[] {
  const run = recordIn(state)?.run
  if (run === undefined) return judgeRest(scenario, state)
  if (!isTold(state, run) && state.ages === scenario.ages)
    return [wrong(state, `I2 message gone, only the sweeper finds it: ${run.uniqueRequestId}`)]
  if (scenario.ages === 0) return []
  if (run.giveUpAt > state.clock) return [older(state, state.faults)]
  if (isLeased(run, state.clock)) return [pause(state)]
  return [wrong(state, `O1 orphan claim: ${run.uniqueRequestId}`)]
}

/** The flow is idle, and nothing will ever move again. */
function judgeRest(scenario: Scenario, state: State): Move[] {
  if (state.queue.length > 0) return [wrong(state, 'I2 a message waits for ever')]
  const what =
    lostIn(scenario, state.facts) ??
    untoldIn(scenario, state) ??
    unreportedIn(scenario, state.facts) ??
    staleIn(scenario, state.facts)
  return what === undefined ? [] : [wrong(state, what)]
}

function isLeased({ stages }: StageRun, now: number): boolean {
  return [...stages.values()].some((entry) => leaseOf(entry) > now)
}

function pause(state: State): Move {
  return { words: 'leases run out', state: { ...state, clock: state.clock + LONG } }
}

function wrong(state: State, what: string): Move {
  return { words: 'everything is at rest', state: { ...state, facts: broken(state.facts, what) } }
}
