import { hash } from 'node:crypto'
import type { Item } from '../../../../src/library/protocol/store/store.ts'
import { applied, movesOf, redriven, settle } from './moves.ts'
import type { Protocol } from './protocol.ts'
import { begin, HOUR, isDead, type Left, OUTSIDE, runs, type State, TO_A_STAGE } from './state.ts'

export interface Scenario {
  readonly name: string
  readonly left: Left
  /** Default: a message to another queue. */
  readonly row?: Item
  /** Default: newest. */
  readonly process?: 'newest' | 'every'
}

export interface Report {
  readonly states: number
  readonly cut: boolean
  readonly violation: string | undefined
  readonly trace: readonly string[]
}

interface Known {
  readonly state: State
  readonly from: number
  readonly words: string
}

/** Breadth first, so that a trace is one of the shortest. At each state in which everything rests, the end is played out. */
export function explore(
  { left, row = OUTSIDE, process = 'newest' }: Scenario,
  protocol: Protocol,
  limit: number,
): Report {
  const start = begin(left, row, process)
  const known: Known[] = [{ state: start, from: -1, words: '' }]
  const keys = new Set([keyOf(start)])
  for (let at = 0; at < known.length; at += 1) {
    const { state } = known[at] as Known
    const violation = state.facts.bad ?? (rests(state) ? wrongAtEnd(state, protocol) : undefined)
    if (violation !== undefined) {
      return { states: known.length, cut: false, violation, trace: traceOf(known, at) }
    }
    if (known.length >= limit) return { states: known.length, cut: true, violation, trace: [] }
    for (const { words, state: next } of movesOf(state, protocol)) {
      const key = keyOf(next)
      if (keys.has(key)) continue
      keys.add(key)
      known.push({ state: next, from: at, words })
    }
  }
  return { states: known.length, cut: false, violation: undefined, trace: [] }
}

/** Hashed, because a hundred thousand whole states take too much memory. */
function keyOf(state: State): string {
  return hash('sha1', JSON.stringify(state), 'base64url')
}

function traceOf(known: readonly Known[], at: number): readonly string[] {
  const trace: string[] = []
  for (let here = at; here > 0; here = known[here]?.from ?? 0)
    trace.unshift(known[here]?.words ?? '')
  return trace
}

function rests({ handlers, sweepers, wire }: State): boolean {
  return handlers.length + sweepers.length + wire.length === 0
}

/** From here without faults: the message of an unfinished run comes back, a dead run is redriven, the sweeper runs each hour. */
function wrongAtEnd(given: State, protocol: Protocol): string | undefined {
  let state: State = { ...given, left: { ...given.left, faults: 0 } }
  if (isDead(state)) {
    const wrong = wrongWhileDead(state, protocol)
    if (wrong !== undefined) return wrong
    state = redriven(swept(swept(state, protocol), protocol))
  }
  if (runs(state)) state = settle(applied(state, { kind: 'create' }, protocol))
  for (let hour = 0; hour < 4; hour += 1) state = swept(state, protocol)
  const { sends, completed, byHand, bad } = state.facts
  if (bad !== null) return bad
  if (state.row?.['st'] === 'due') return 'waits for ever'
  const isWanted = (state.row !== null || completed) && !byHand
  return sends === 0 && isWanted ? 'never sent' : undefined
}

/** A message to another queue waits for the redrive, but not when its dead letter is gone; one to a stage does not wait. */
function wrongWhileDead(given: State, protocol: Protocol): string | undefined {
  const state = swept(swept(given, protocol), protocol)
  if (given.wanted === TO_A_STAGE) {
    return state.row?.['st'] === 'due' ? 'a stage does not get its message' : undefined
  }
  if (state.facts.sends > given.facts.sends) return 'sent while its run is dead'
  if (isDueAgain(state)) return 'looked at in each run while its run is dead'
  const later = swept({ ...state, time: state.time + FORTNIGHT }, protocol)
  return later.row?.['st'] === 'due' ? 'waits for a dead letter that is gone' : undefined
}

const FORTNIGHT = 14 * 24 * HOUR

function isDueAgain({ row, time }: State): boolean {
  return row?.['st'] === 'due' && Number(row['dueAt']) <= time
}

/** One run of the sweeper, an hour later. */
function swept(given: State, protocol: Protocol): State {
  const time = given.time + HOUR + 1_000
  let state: State = { ...given, time, handlers: [], left: { ...NOTHING_LEFT, sweeps: 1 } }
  const begun = movesOf(state, protocol).find(({ words }) => words.startsWith('a sweeper'))
  if (begun === undefined) return { ...given, time }
  state = begun.state
  while (state.sweepers.length > 0) {
    const [move] = movesOf(state, protocol)
    if (move === undefined) throw new Error('a sweeper that cannot go on')
    state = move.state
  }
  return { ...state, left: given.left }
}

const NOTHING_LEFT: Left = {
  faults: 0,
  handlers: 0,
  sweeps: 0,
  supersedes: 0,
  deaths: 0,
  giveUps: 0,
  redrives: 0,
  followers: 0,
  voids: 0,
}

const NONE = { supersedes: 0, deaths: 0, giveUps: 0, redrives: 0, followers: 0, voids: 0 }

export const SCENARIOS: readonly Scenario[] = [
  { name: 'two sweepers', left: { ...NONE, faults: 2, handlers: 2, sweeps: 2 } },
  { name: 'superseded', left: { ...NONE, faults: 1, handlers: 2, sweeps: 2, supersedes: 1 } },
  {
    name: 'dead and redriven',
    left: { ...NONE, faults: 1, handlers: 1, sweeps: 2, deaths: 1, redrives: 1 },
  },
  { name: 'given up', left: { ...NONE, faults: 1, handlers: 1, sweeps: 2, giveUps: 1 } },
  {
    name: 'dead, then another request',
    left: { ...NONE, faults: 1, handlers: 1, sweeps: 2, deaths: 1, followers: 1 },
  },
  {
    name: 'redriven, then another request',
    left: { ...NONE, faults: 1, handlers: 1, sweeps: 1, deaths: 1, redrives: 1, followers: 1 },
    process: 'every',
  },
  {
    name: 'dead, to a stage of its own',
    left: { ...NONE, faults: 1, handlers: 1, sweeps: 2, deaths: 1, redrives: 1 },
    row: TO_A_STAGE,
  },
  { name: 'voided by hand', left: { ...NONE, faults: 1, handlers: 2, sweeps: 2, voids: 1 } },
]

/** For the proof: more faults and a third sweeper. */
export const DEEP: readonly Scenario[] = [
  { name: 'three sweepers', left: { ...NONE, faults: 3, handlers: 2, sweeps: 3 } },
  {
    name: 'superseded, two faults',
    left: { ...NONE, faults: 2, handlers: 2, sweeps: 2, supersedes: 1 },
  },
  {
    name: 'dead, redriven, superseded',
    left: { ...NONE, faults: 1, handlers: 2, sweeps: 1, deaths: 1, redrives: 1, supersedes: 1 },
  },
]
