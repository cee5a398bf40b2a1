import type { Fencing } from '../../../../src/library/protocol/claim/hold.ts'
import { isMade, raised } from '../../../../src/library/features/sql/effects.ts'
import { markKeptFor } from '../../../../src/library/features/sql/statements.ts'
import { claimFlow, flowDeliveries, settleFlow } from './flowClaims.ts'
import { change, type Move, type Play } from './play.ts'
import type { Off, Scenario } from './scenario.ts'
import type { Attempt, Effect, State } from './state.ts'
import { claimToken, settleToken, tokenDeliveries } from './tokenClaims.ts'

/** Everything that can happen next. */
export function movesOf(state: State, scenario: Scenario, off: Off | undefined): Move[] {
  const play = { state, scenario, off }
  return [
    ...(scenario.kind === 'token' ? tokenDeliveries(play) : flowDeliveries(play)),
    ...state.attempts.flatMap((attempt, index) => stepsOf(play, attempt, index)),
    ...passDay(play),
  ]
}

function stepsOf(play: Play, attempt: Attempt, index: number): Move[] {
  const name = nameOf(attempt, index)
  const own = attempt.isKilled ? [] : aliveSteps(play, attempt, index)
  const lands = attempt.onTheWire ? [land(play, attempt, index)] : []
  const dies = diesAt(play, attempt, index)
  return [...own, ...lands, ...dies].map(({ words, state }) => ({
    words: `${name} ${words}`,
    state,
  }))
}

function nameOf({ request, stage, fence }: Attempt, index: number): string {
  return `attempt ${index} (request ${request}${stage && ` ${stage}`}, fence ${fence}):`
}

function aliveSteps(play: Play, attempt: Attempt, index: number): Move[] {
  const { scenario } = play
  switch (attempt.step) {
    case 'claim':
      return scenario.kind === 'token'
        ? claimToken(play, attempt, index)
        : claimFlow(play, attempt, index)
    case 'raise':
      return raiseThen(play, attempt, index, begin)
    case 'run':
      return [...enter(play, attempt, index), ...fails(play, attempt, index)]
    case 'commit':
      return [...commit(play, attempt, index), ...fails(play, attempt, index)]
    case 'settle':
      return [
        ...(scenario.kind === 'token'
          ? settleToken(play, attempt, index)
          : settleFlow(play, attempt, index)),
        ...fails(play, attempt, index),
      ]
    case 'raise to die':
      return raiseThen(play, attempt, index, (state) =>
        change(state, index, { step: 'send letter' }),
      )
    case 'send letter': {
      const token = state(play).token
      const gone = {
        ...state(play),
        letters: state(play).letters + 1,
        letterFence: attempt.fence,
        diedOn: state(play).day,
      }
      const dead =
        token && token.fence === attempt.fence ? { ...token, status: 'error' as const } : token
      return [
        {
          words: 'dead letter leaves',
          state: change({ ...gone, token: dead }, index, { step: 'over' }),
        },
      ]
    }
    case 'over':
      return []
  }
}

const state = ({ state: now }: Play): State => now

function isLocked({ state: now, off }: Play): boolean {
  return off !== 'lock of the row' && now.lock !== undefined
}

/** The shipped rule of the gate. */
function passGate({ state: now, scenario, off }: Play, attempt: Attempt) {
  const { epoch, stage, fence, isSurelyFirst } = attempt
  const fencing: Fencing = { subject: 's', request: '', epoch, stage, fence, isSurelyFirst }
  const retention = scenario.days?.retention ?? 1_000
  const kept = off === 'expiry of the fence' && now.row ? { ...now.row, expires: 1e9 } : now.row
  const row = raised(kept, fencing, retention, now.day)
  const isNew = kept !== undefined && kept.expires < now.day && kept.epoch === attempt.epoch
  return row !== undefined && isNew && off === 'siblings of an expired row forgotten'
    ? { ...row, stages: { ...kept.stages, ...row.stages } }
    : row
}

/** Raises the fence, and goes on if it is not refused. */
function raiseThen(
  play: Play,
  attempt: Attempt,
  index: number,
  then: (now: State, attempt: Attempt, index: number) => State,
): Move[] {
  const { state: now, scenario, off } = play
  const isDying = attempt.step === 'raise to die'
  const isSkipped = isDying
    ? off === 'raise before a dead letter'
    : attempt.isSurelyFirst ||
      off === 'raise before a handler begins' ||
      (off === 'raise in a later stage' && attempt.stage === scenario.stages[1])
  if (isSkipped) return [{ words: 'begins without a raise', state: then(now, attempt, index) }]
  if (isLocked(play)) return []
  const row = passGate(play, attempt)
  if (row === undefined) return refused(play, attempt, index)
  const effects =
    off === 'marks kept by a raise' ? now.effects : now.effects.map(kept(play, attempt))
  return [{ words: 'raises the fence', state: then({ ...now, row, effects }, attempt, index) }]
}

function kept({ state: { day }, scenario }: Play, { request }: Attempt) {
  const retention = scenario.days?.retention ?? 1_000
  return (effect: Effect): Effect =>
    effect.request === request && effect.mark !== undefined && effect.mark >= day
      ? { ...effect, mark: day + markKeptFor(retention) }
      : effect
}

/** A refusal is right only if a later attempt has been seen, within the retention. */
function refused({ state: now, scenario }: Play, attempt: Attempt, index: number): Move[] {
  const isLatest =
    scenario.kind === 'token'
      ? now.token?.fence === attempt.fence
      : now.epoch === attempt.epoch && now.held[attempt.stage] === index
  const violation = isLatest ? 'the attempt that has the claim is refused' : now.violation
  return [{ words: 'is refused', state: change({ ...now, violation }, index, { step: 'over' }) }]
}

/** The handler begins: what it reads now may not be changed by an attempt before it. */
function begin(now: State, { epoch, stage, fence }: Attempt, index: number): State {
  const isNewer = epoch > now.begun.epoch
  const stages = isNewer ? {} : now.begun.stages
  const begun = {
    epoch: Math.max(epoch, now.begun.epoch),
    stages: { ...stages, [stage]: Math.max(stages[stage] ?? 0, fence) },
  }
  return change({ ...now, begun }, index, { step: 'run' })
}

function effectOf({ state: now, off }: Play, { request, stage }: Attempt): Effect | undefined {
  return now.effects.find(
    (each) => each.request === request && (each.stage === stage || off === 'stage in the mark'),
  )
}

function enter(play: Play, attempt: Attempt, index: number): Move[] {
  const { state: now, scenario, off } = play
  if (!scenario.withSql.includes(attempt.stage)) {
    return [{ words: 'has nothing to write', state: change(now, index, { step: 'settle' }) }]
  }
  if (isLocked(play)) return []
  const row = passGate(play, attempt)
  if (row === undefined) return refused(play, attempt, index)
  const mark = effectOf(play, attempt)?.mark
  const made = mark !== undefined && isMade({ result: '', made: 0, expires: mark }, now.day)
  if (made && off !== 'mark') {
    return [{ words: 'finds the mark', state: change({ ...now, row }, index, { step: 'settle' }) }]
  }
  const locked = { ...now, row, lock: off === 'lock of the row' ? now.lock : index }
  return [{ words: 'passes the gate', state: change(locked, index, { step: 'commit' }) }]
}

function commit(play: Play, attempt: Attempt, index: number): Move[] {
  const { state: now } = play
  const done = made(play, attempt)
  const moves: Move[] = [
    { words: 'commits', state: change(unlock(done, index), index, { step: 'settle' }) },
  ]
  if (now.faults === 0) return moves
  const fault = { faults: now.faults - 1 }
  const again = { step: 'run' } as const
  return [
    ...moves,
    {
      words: 'commits, the answer is lost',
      state: change({ ...unlock(done, index), ...fault }, index, again),
    },
    {
      words: 'loses its connection with the COMMIT on the wire',
      state: change({ ...now, ...fault }, index, { ...again, onTheWire: true }),
    },
    {
      words: 'loses its connection before the COMMIT',
      state: change({ ...unlock(now, index), ...fault }, index, again),
    },
  ]
}

function unlock(now: State, index: number): State {
  return now.lock === index ? { ...now, lock: undefined } : now
}

/** A COMMIT that was on the wire arrives. */
function land(play: Play, attempt: Attempt, index: number): Move {
  const done = unlock(made(play, attempt), index)
  return { words: 'COMMIT lands', state: change(done, index, { onTheWire: false }) }
}

/** The effect is there, with its mark. */
function made(play: Play, attempt: Attempt): State {
  const { state: now, scenario } = play
  const { request, stage } = attempt
  const retention = scenario.days?.retention ?? 1_000
  const before = now.effects.find((each) => each.request === request && each.stage === stage)
  const effect = {
    request,
    stage,
    mark: now.day + markKeptFor(retention),
    times: (before?.times ?? 0) + 1,
  }
  const effects = [...now.effects.filter((each) => each !== before), effect].toSorted((a, b) =>
    `${a.request}${a.stage}` < `${b.request}${b.stage}` ? -1 : 1,
  )
  return {
    ...now,
    effects,
    violation: now.violation ?? wrongEffect(now, attempt, effect.times),
  }
}

function wrongEffect(
  { begun, letterFence }: State,
  { epoch, stage, fence }: Attempt,
  times: number,
): string | undefined {
  if (times > 1) return 'the effect is made twice'
  if (epoch < begun.epoch || (epoch === begun.epoch && fence < (begun.stages[stage] ?? 0))) {
    return 'an effect of an attempt before the one that has begun'
  }
  if (fence <= letterFence) return 'an effect after its dead letter'
  return undefined
}

/** The handler throws a TerminalError, perhaps with its COMMIT on the wire. */
function fails(play: Play, attempt: Attempt, index: number): Move[] {
  const { state: now, scenario } = play
  if (scenario.terminal !== true || scenario.kind !== 'token') return []
  const token = now.token
  if (token?.fence !== attempt.fence || token.status !== 'inProgress') {
    return [
      {
        words: 'has lost its claim',
        state: change(unlockIfIdle(now, attempt, index), index, { step: 'over' }),
      },
    ]
  }
  const dying = { ...token, status: 'dying' as const, death: token.death + 1 }
  return [
    {
      words: 'fails for good',
      state: change({ ...unlockIfIdle(now, attempt, index), token: dying }, index, {
        step: 'raise to die',
      }),
    },
  ]
}

function unlockIfIdle(now: State, { onTheWire }: Attempt, index: number): State {
  return onTheWire ? now : unlock(now, index)
}

/** Killed anywhere, with or without its COMMIT on the wire. */
function diesAt({ state: now }: Play, attempt: Attempt, index: number): Move[] {
  if (attempt.isKilled || attempt.step === 'over' || now.faults === 0) return []
  const fault = { faults: now.faults - 1 }
  const dead = { isKilled: true, step: 'over' } as const
  const silent = {
    words: 'is killed',
    state: change({ ...unlockIfIdle(now, attempt, index), ...fault }, index, dead),
  }
  if (attempt.step !== 'commit') return [silent]
  return [
    silent,
    {
      words: 'is killed with the COMMIT on the wire',
      state: change({ ...now, ...fault }, index, { ...dead, onTheWire: true }),
    },
  ]
}

/** Days pass only while nobody runs: no attempt lives that long. */
function passDay({ state: now, scenario: { days } }: Play): Move[] {
  const isIdle = now.attempts.every(({ step, onTheWire }) => step === 'over' && !onTheWire)
  if (days === undefined || now.day >= days.last || !isIdle) return []
  const day = now.day + 1
  // The clean-up runs at any time: what has expired is gone in the model at once.
  const effects = now.effects.map((each) =>
    each.mark !== undefined && each.mark < day ? { ...each, mark: undefined } : each,
  )
  return [{ words: `day ${day}`, state: { ...now, day, effects } }]
}
