import { change, type Move, type Play } from './play.ts'
import type { Attempt, State } from './state.ts'

/** Messages of stages arrive at any time: copies, later stages, newer requests. */
export function flowDeliveries({ state, scenario }: Play): Move[] {
  const { attempts, stages, requests } = scenario
  return Array.from({ length: requests }, (_, request) => request).flatMap((request) =>
    stages.flatMap((stage, nth) => {
      const before = state.attempts.filter(
        (each) => each.request === request && each.stage === stage,
      )
      const isSent =
        nth === 0 || (state.running === request && state.settled.includes(stages[0] ?? ''))
      const isCopied = request === 0 && (scenario.days === undefined || nth === 0)
      if (before.length >= (isCopied ? attempts : 1) || !isSent) return []
      const attempt: Attempt = {
        step: 'claim',
        request,
        stage,
        epoch: 0,
        fence: 0,
        isSurelyFirst: false,
        isKilled: false,
        onTheWire: false,
        death: undefined,
      }
      const added = { ...state, attempts: [...state.attempts, attempt] }
      return [{ words: `request ${request} ${stage}: the message is delivered`, state: added }]
    }),
  )
}

/** A newer request supersedes; the record is forgotten after the retention. */
export function claimFlow({ state, scenario, off }: Play, attempt: Attempt, index: number): Move[] {
  const { request, stage } = attempt
  const isFirst = stage === scenario.stages[0]
  const isMine = state.running === request
  const starts = isFirst && !isMine && isNewer(state, request)
  const mayClaim = isMine && !state.settled.includes(stage)
  if (!starts && !mayClaim) {
    return [{ words: 'over', state: change(state, index, { step: 'over' }) }]
  }
  const { retention } = scenario.days ?? {}
  const isForgotten =
    retention !== undefined && state.running === undefined && state.day > state.endedOn + retention
  const base = isForgotten
    ? { ...state, epoch: 0, fence: 0, begun: { epoch: 0, stages: {} } }
    : state
  const epoch = base.epoch + (starts ? 1 : 0)
  const fence = base.fence + 1
  const claimed = {
    ...base,
    epoch,
    fence,
    running: request,
    held: starts ? { [stage]: index } : { ...base.held, [stage]: index },
    settled: starts ? [] : base.settled,
  }
  const isSurelyFirst =
    (starts && base.running === undefined && base.lastCompleted) ||
    (off === 'raise in a later stage' && !isFirst && base.held[stage] === undefined)
  const next = { step: 'raise', epoch, fence } as const
  const direct = {
    words: starts ? 'starts' : 'claims',
    state: change(claimed, index, { ...next, isSurelyFirst }),
  }
  if (state.faults === 0) return [direct]
  const lost = change({ ...claimed, faults: state.faults - 1 }, index, {
    ...next,
    isSurelyFirst: off === 'raise after a lost answer',
  })
  return [direct, { words: 'claims, the answer is lost', state: lost }]
}

/** Requests start in their order. */
function isNewer(state: State, request: number): boolean {
  const started = state.attempts.filter(({ epoch }) => epoch > 0).map((each) => each.request)
  return started.every((each) => each < request)
}

export function settleFlow({ state, scenario }: Play, attempt: Attempt, index: number): Move[] {
  const { epoch, stage } = attempt
  const isMine = state.epoch === epoch && state.held[stage] === index && state.running !== undefined
  if (!isMine) {
    return [{ words: 'has lost its claim', state: change(state, index, { step: 'over' }) }]
  }
  const settled = [...state.settled, stage]
  const isLast = scenario.stages.every((each) => settled.includes(each))
  const next = isLast
    ? {
        ...state,
        settled,
        running: undefined,
        held: {},
        lastCompleted: true,
        epoch: epoch + 1,
        endedOn: state.day,
      }
    : { ...state, settled }
  const violation = isLast ? missing(state, scenario.withSql, attempt.request) : undefined
  return [
    {
      words: isLast ? 'ends the run' : 'settles',
      state: change({ ...next, violation: state.violation ?? violation }, index, { step: 'over' }),
    },
  ]
}

function missing(
  { effects }: State,
  withSql: readonly string[],
  request: number,
): string | undefined {
  const isMade = (stage: string): boolean =>
    effects.some((each) => each.request === request && each.stage === stage && each.times === 1)
  return withSql.every(isMade) ? undefined : 'a run has ended without one of its effects'
}
