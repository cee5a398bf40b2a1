import { isSenderRunning } from '../../../../src/library/features/delay/judgeDelayed.ts'
import {
  type Delayed,
  readDelayed,
} from '../../../../src/library/protocol/claim/delayed/delayedRow.ts'
import { applyUpdate } from '../../../../src/library/adapters/store/memory/ownItems.ts'
import type { Item, Update } from '../../../../src/library/protocol/store/store.ts'
import type { Protocol } from './protocol.ts'
import {
  become,
  dead,
  DUE,
  ended,
  followed,
  type HandlerAt,
  HOUR,
  isDead,
  kept,
  type Left,
  running,
  runs,
  type State,
  type Sweeper,
  type Write,
} from './state.ts'

export interface Move {
  readonly words: string
  readonly state: State
}

export function movesOf(state: State, protocol: Protocol): readonly Move[] {
  return [
    ...state.handlers.flatMap((at, nth) => handlerMoves(state, at, nth, protocol)),
    ...state.sweepers.flatMap((sweeper, nth) => sweeperMoves(state, sweeper, nth, protocol)),
    ...state.wire.map((write, nth) => ({
      words: `a late ${write.kind} lands`,
      state: applied({ ...state, wire: without(state.wire, nth) }, write, protocol),
    })),
    ...beginnings(state, protocol),
    ...endings(state, protocol),
    ...ticks(state),
  ]
}

export function without<T>(all: readonly T[], nth: number): readonly T[] {
  return all.filter((_, at) => at !== nth)
}

function spend(state: State, what: keyof Left): State {
  return { ...state, left: { ...state.left, [what]: state.left[what] - 1 } }
}

function beginnings(state: State, protocol: Protocol): readonly Move[] {
  const first: HandlerAt = protocol.rowBeforeSettle ? 'create' : 'settle'
  const moves: Move[] = []
  if (state.left.handlers > 0 && runs(state)) {
    const begun = { ...state, handlers: [...state.handlers, first] }
    moves.push({ words: 'a handler begins', state: spend(begun, 'handlers') })
  }
  if (state.left.sweeps > 0 && state.facts.listed && state.time >= DUE) {
    const sweeper: Sweeper = {
      at: 'read row',
      row: null,
      record: null,
      parked: null,
      tooLate: null,
    }
    const begun = { ...state, sweepers: [...state.sweepers, sweeper] }
    moves.push({ words: 'a sweeper finds the row in the index', state: spend(begun, 'sweeps') })
  }
  return moves
}

/** What happens to the run beside the handler. */
function endings(state: State, protocol: Protocol): readonly Move[] {
  const { left, record } = state
  const moves: Move[] = []
  if (left.supersedes > 0 && runs(state)) {
    const superseded = { ...state, ...become(state, running('r2')) }
    moves.push({ words: 'a newer request takes its key', state: spend(superseded, 'supersedes') })
  }
  if (left.deaths > 0 && runs(state)) {
    const died = { ...state, parked: dead('terminal'), ...become(state, ended('dead')) }
    moves.push({ words: 'the run dies', state: spend(died, 'deaths') })
  }
  if (left.giveUps > 0 && runs(state)) {
    const died = { ...state, parked: dead('abandoned'), ...become(state, ended('dead')) }
    moves.push({ words: 'the run is given up', state: spend(died, 'giveUps') })
  }
  if (left.followers > 0 && record['uniquerequestid'] === undefined) {
    const next = spend({ ...state, ...become(state, followed()) }, 'followers')
    moves.push({ words: 'a newer request runs and ends', state: next })
  }
  if (left.redrives > 0 && isDead(state))
    moves.push({ words: 'it is redriven', state: redriven(state) })
  if (left.voids > 0 && state.row?.['st'] === 'due') {
    const facts = { ...state.facts, byHand: true }
    const voided = close({ ...state, facts }, 'void', protocol)
    moves.push({ words: 'an operator voids the row', state: spend(voided, 'voids') })
  }
  return moves
}

export function redriven(state: State): State {
  const { left } = state
  const again = { ...left, redrives: left.redrives - 1, handlers: left.handlers + 1 }
  return { ...state, ...become(state, running('r1')), left: again }
}

function ticks(state: State): readonly Move[] {
  const next = state.time === 0 ? DUE : state.time + HOUR
  return next > DUE + 2 * HOUR ? [] : [{ words: `it is ${next}`, state: { ...state, time: next } }]
}

/** A process makes its write; or it is killed before, after, or with the write on the wire. */
function writing(
  state: State,
  write: Write,
  protocol: Protocol,
  words: string,
  goOn: (state: State) => State,
  killed: (state: State) => State,
): readonly Move[] {
  const done = applied(state, write, protocol)
  const normal = { words, state: goOn(done) }
  if (state.left.faults === 0) return [normal]
  const faulty = killed(spend(state, 'faults'))
  return [
    normal,
    { words: `${words}: killed before`, state: faulty },
    { words: `${words}: killed after`, state: killed(spend(done, 'faults')) },
    { words: `${words}: killed, on the wire`, state: { ...faulty, wire: [...faulty.wire, write] } },
  ]
}

function handlerMoves(
  state: State,
  at: HandlerAt,
  nth: number,
  protocol: Protocol,
): readonly Move[] {
  const gone = (after: State): State => ({ ...after, handlers: without(after.handlers, nth) })
  const step =
    (next: HandlerAt) =>
    (after: State): State => ({
      ...after,
      handlers: after.handlers.map((each, which) => (which === nth ? next : each)),
    })
  if (at === 'create') {
    const goOn = protocol.rowBeforeSettle ? step('settle') : gone
    return writing(state, { kind: 'create' }, protocol, 'the handler stores the row', goOn, gone)
  }
  const ends = settling(state, at, protocol)
  // Without its claim an attempt writes nothing more.
  if (ends === undefined) return [{ words: 'the handler has lost its claim', state: gone(state) }]
  const next = ends.next ?? (protocol.rowBeforeSettle ? undefined : 'create')
  const after = next === undefined ? gone(ends.state) : step(next)(ends.state)
  const moves = [{ words: ends.words, state: after }]
  if (state.left.faults === 0) return moves
  return [
    ...moves,
    { words: `${ends.words}: killed after`, state: gone(spend(ends.state, 'faults')) },
  ]
}

interface Settling {
  readonly words: string
  readonly state: State
  readonly next?: HandlerAt
}

function settling(
  state: State,
  at: Exclude<HandlerAt, 'create'>,
  { closesBeforeReset }: Protocol,
): Settling | undefined {
  const closed = { ...state, parked: { ...kept(), ttl: 1 } }
  if (at === 'close') return { words: 'the handler closes the death', state: closed }
  if (!runs(state)) return undefined
  const isReopened = state.parked !== null
  if (at === 'settle' && isReopened && closesBeforeReset)
    return { words: 'the handler closes the death', state: closed, next: 'reset' }
  const settled = completed(state)
  const closesLater = at === 'settle' && isReopened
  return { words: 'the handler settles', state: settled, ...(closesLater && { next: 'close' }) }
}

export function settle(state: State): State {
  if (!runs(state)) return state
  const parked = state.parked === null ? null : { ...kept(), ttl: 1 }
  return { ...completed(state), parked }
}

function completed(state: State): State {
  return {
    ...state,
    ...become(state, ended('completed')),
    facts: { ...state.facts, completed: true },
  }
}

function sweeperMoves(
  state: State,
  sweeper: Sweeper,
  nth: number,
  protocol: Protocol,
): readonly Move[] {
  const gone = (after: State): State => ({ ...after, sweepers: without(after.sweepers, nth) })
  const at =
    (more: Partial<Sweeper>) =>
    (after: State): State => ({
      ...after,
      sweepers: after.sweepers.map((each, which) => (which === nth ? { ...each, ...more } : each)),
    })
  const { closed } = state.facts
  switch (sweeper.at) {
    case 'read row': {
      const row = protocol.readsRow ? state.row : state.wanted
      const isDue = row?.['statusShard'] !== undefined && Number(row['dueAt']) <= state.time
      const tooLate = closed ? 'sent again after it was closed' : null
      const read = at({ at: 'read record', row, tooLate })(state)
      return [{ words: 'the sweeper reads the row', state: isDue ? read : gone(state) }]
    }
    case 'read record': {
      const { record } = state
      const next = isSenderRunning(rowOf(sweeper), record) ? 'act' : 'read parked'
      return [{ words: 'it reads the record', state: at({ at: next, record })(state) }]
    }
    case 'read parked': {
      const parked = at({ at: 'act', parked: state.parked })(state)
      return [{ words: 'it reads what is parked', state: parked }]
    }
    case 'act':
      return act(state, sweeper, protocol, at, gone)
    case 'send':
      return sendMoves(state, sweeper, protocol.sendBeforeClose ? at({ at: 'close' }) : gone, gone)
    case 'close': {
      const update = protocol.close(rowOf(sweeper), 'sent', state.time)
      const goOn = protocol.sendBeforeClose ? gone : at({ at: 'send' })
      return writing(state, { kind: 'update', update }, protocol, 'it closes the row', goOn, gone)
    }
  }
}

type Step = (state: State) => State

function act(
  state: State,
  sweeper: Sweeper,
  protocol: Protocol,
  at: (more: Partial<Sweeper>) => Step,
  gone: Step,
): readonly Move[] {
  const row = rowOf(sweeper)
  const { record, parked } = sweeper
  const seen = { record: record ?? undefined, parked: parked ?? undefined }
  const verdict = protocol.judge(row, seen, state.time)
  switch (verdict.kind) {
    case 'send': {
      const first = protocol.sendBeforeClose ? 'send' : 'close'
      return [{ words: 'it decides to send', state: at({ at: first })(state) }]
    }
    case 'wait': {
      const write = { kind: 'update', update: protocol.postpone(row, verdict.until) } as const
      return writing(state, write, protocol, 'it decides to wait', gone, gone)
    }
    case 'notKnown':
      return [{ words: 'it cannot read the run', state: gone(state) }]
  }
}

function sendMoves(state: State, sweeper: Sweeper, goOn: Step, gone: Step): readonly Move[] {
  const { facts } = state
  const bad = facts.bad ?? sweeper.tooLate
  const sent = { ...state, facts: { ...facts, sends: facts.sends + 1, bad } }
  const normal = { words: 'it sends the message', state: goOn(sent) }
  if (state.left.faults === 0) return [normal]
  return [
    normal,
    { words: 'it is killed before it sends', state: gone(spend(state, 'faults')) },
    { words: 'it sends and is killed', state: gone(spend(sent, 'faults')) },
  ]
}

function rowOf({ row }: Sweeper): Delayed {
  const read = row === null ? undefined : readDelayed(row)
  if (read === undefined) throw new Error('the shipped row is readable')
  return read
}

export function applied(state: State, write: Write, protocol: Protocol): State {
  if (write.kind === 'create') {
    if (state.row !== null && protocol.createIfAbsent) return state
    return { ...state, row: state.wanted, facts: { ...state.facts, listed: true } }
  }
  return updated(state, write.update, protocol)
}

function updated(state: State, update: Update, protocol: Protocol): State {
  const outcome = applyUpdate(state.row ?? undefined, update)
  if (outcome.kind !== 'applied' || outcome.item === undefined) return state
  const isClosed = outcome.item['st'] !== 'due'
  const row: Item | null = isClosed && !protocol.keepsClosed ? null : outcome.item
  return { ...state, row, facts: { ...state.facts, closed: state.facts.closed || isClosed } }
}

function close(state: State, as: 'sent' | 'void', protocol: Protocol): State {
  const row = state.row === null ? undefined : readDelayed(state.row)
  return row === undefined ? state : updated(state, protocol.close(row, as, state.time), protocol)
}
