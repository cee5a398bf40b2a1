import { GRACE } from '../item/task.ts'
import { answerPrefix } from '../../../library/protocol/claim/stage/heldStage.ts'
import type { StageEntry } from '../../../library/protocol/claim/stage/stageEntry.ts'
import {
  readStageRecord,
  type StageRecord,
  type StageRun,
} from '../../../library/protocol/claim/stage/stageRecord.ts'
import { stableId, sortableTime } from '../../../library/base/ids.ts'
import type { Item } from '../../../library/protocol/store/store.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { splitId } from '../text/itemId.ts'
import {
  type Awaiting,
  awaitingKey,
  readAwaiting,
  stepIdOf,
  stepNameIn,
  TIMEOUT,
} from '../../../library/protocol/claim/awaiting/awaiting.ts'
import { readExternalIds } from '../../../library/protocol/claim/awaiting/saveAwaiting.ts'
import { refusalOfAnswer } from '../../../library/protocol/claim/awaiting/decideAnswer.ts'
import type { CallFacts, StageFacts } from './factParts.ts'
import { timeIn } from '../text/humanTime.ts'
import { callFacts } from './tokenState.ts'
import type { Own, StepFacts } from './facts.ts'

interface RunContent {
  readonly pk: string
  readonly request: string
  readonly stages: ReadonlyMap<string, StageEntry>
  readonly marks: ReadonlySet<string>
}

/** With what they have made; last the stages that a message is on its way to. */
export function stageFacts(
  run: RunContent,
  siblings: readonly Item[],
  now: number,
): readonly StageFacts[] {
  const begun = stageStates(run.stages, now).map((state) => ({
    ...state,
    ...madeIn(state.name, run, siblings),
  }))
  return [...begun, ...comingAfter(run, siblings)]
}

/** In one order, since an item has none: what is done first, then by name. */
export function stageStates(
  stages: ReadonlyMap<string, StageEntry>,
  now: number,
): readonly StageState[] {
  return [...stages]
    .toSorted((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1))
    .map(([name, entry]) => stageState(name, entry, now))
}

function rankOf([name, { status }]: readonly [string, StageEntry]): string {
  return `${status === 'settled' ? 0 : 1}${name}`
}

export type StageState = Omit<StageFacts, 'effects' | 'calls'>

export function stageState(name: string, entry: StageEntry, now: number): StageState {
  // The id of an attempt begins with the time of its claim.
  const beganAt = 'attemptId' in entry ? sortableTime(entry.attemptId) : undefined
  const base = { ...NOTHING, name, beganAt }
  switch (entry.status) {
    case 'open': {
      const { attempt, leaseUntil } = entry
      return { ...base, status: leaseUntil > now ? 'running' : 'lost', attempt, leaseUntil }
    }
    case 'retry': {
      const { attempt, notBefore: due, sent: resent } = entry
      return { ...base, status: 'waiting', attempt, due, resent }
    }
    case 'settled':
      return { ...base, status: 'done', sentTo: entry.sentTo, ends: entry.ends }
    case 'dying': {
      const { attempt, leaseUntil, reason } = entry
      return { ...base, status: 'dying', attempt, leaseUntil, reason }
    }
    case 'dead':
      return { ...base, status: 'dead', reason: entry.reason }
  }
}

const NOTHING = {
  attempt: undefined,
  beganAt: undefined,
  leaseUntil: undefined,
  due: undefined,
  resent: undefined,
  reason: undefined,
  sentTo: [],
  ends: false,
} as const

/** A stage that was sent a message, and that has not begun. An awaited step has an item of its own. */
function comingAfter(
  { stages, request }: RunContent,
  siblings: readonly Item[],
): readonly StageFacts[] {
  const steps = awaitedSteps(siblings, request)
  const sent = [...stages.values()].flatMap((entry) =>
    entry.status === 'settled' ? entry.sentTo : [],
  )
  return [...new Set(sent)]
    .filter((name) => !stages.has(name) && !steps.includes(name))
    .toSorted()
    .map((name) => ({ ...NOTHING, name, status: 'coming', effects: [], calls: [] }))
}

export function awaitedSteps(siblings: readonly Item[], request: string): readonly string[] {
  return siblings.flatMap((item) => {
    const { sk } = itemKey(item)
    const [, step = ''] = /^await#([^#]*)#/.exec(sk) ?? []
    return step !== '' && sk === awaitingKey('', step, request).sk ? [step] : []
  })
}

/** `stage:name`, `stage?nth:name` for a call that was begun, `stage!nth:name` for one that was not made. */
const MARK = /^([^:?!]*)([?!]?)(\d*):(.*)$/s

export function madeIn(
  stage: string,
  { pk, request, marks }: Omit<RunContent, 'stages'>,
  siblings: readonly Item[],
): Pick<StageFacts, 'effects' | 'calls'> {
  const own = [...marks].map(readMark).filter((mark) => mark.stage === stage)
  const results = resultsOf(stage, request, siblings)
  const called = own.filter(({ sign }) => sign !== '').map(({ name }) => name)
  const calls = [...new Set([...called, ...results.keys()])].map((name): CallFacts => {
    const key = stableId(request, `${splitId(pk).owner}.${stage}`, 'call', name)
    const stored = results.get(name)
    if (stored !== undefined) return callFacts(name, stored, key)
    const times = (sign: string): number =>
      own.filter((mark) => mark.name === name && mark.sign === sign).length
    const state = times('?') > times('!') ? 'unknown' : 'notMade'
    return { name, key, state, result: 'none', resultBytes: undefined }
  })
  return { effects: own.filter(({ sign }) => sign === '').map(({ name }) => name), calls }
}

/** A mark as it is stored. `sign`: '' for an effect. */
export function readMark(mark: string): { stage: string; sign: string; name: string } {
  const [, stage = '', sign = '', , name = ''] = MARK.exec(mark) ?? []
  return { stage, sign, name }
}

/** Results of calls have items of their own. */
function resultsOf(
  stage: string,
  request: string,
  siblings: readonly Item[],
): ReadonlyMap<string, string> {
  const prefix = answerPrefix(request, stage)
  return new Map(
    siblings.flatMap((item) => {
      const { sk } = itemKey(item)
      const { answer } = item
      return sk.startsWith(prefix) && typeof answer === 'string'
        ? [[sk.slice(prefix.length), answer] as const]
        : []
    }),
  )
}

export type StepState = Own<StepFacts>

/** @param item of the step: it may hold the external ids, and why an answer was refused */
export function stepState(awaiting: Awaiting, item: Item, now: number): StepState {
  const { key, uniqueRequestId: request, steps, need, count, until, joinedBy, reopened } = awaiting
  const step = stepNameIn(key)
  const ids = readExternalIds(item)
  return {
    kind: 'step',
    status: statusOf(awaiting, now),
    step,
    request,
    need,
    received: count,
    requested: steps.size,
    since: timeIn(item['created']),
    until,
    externalIds: ids.map((id) => ({
      id,
      answered: steps.get(stepIdOf(step, id, request)) !== undefined,
    })),
    more: Math.max(0, steps.size - ids.length),
    refused: joinedBy === undefined ? refusalOfAnswer(item) : undefined,
    reopened,
  }
}

function statusOf(awaiting: Awaiting, now: number): StepFacts['status'] {
  if (awaiting.joinedBy === TIMEOUT) return 'timedOut'
  if (awaiting.joinedBy !== undefined) return 'complete'
  return isTimeoutLost(awaiting, now) ? 'overdue' : 'waiting'
}

export function isTimeoutLost({ until }: Awaiting, now: number): boolean {
  return until + GRACE < now
}

/**
 * The step in which a request that has died waits again, because an operator has given up its answer (`decide again`).
 * @param siblings the items under the key of its flow
 */
export function reopenedStep(request: string, siblings: readonly Item[]): string | undefined {
  const waiting = siblings
    .map(readAwaiting)
    .find(
      (step) => step?.uniqueRequestId === request && step.reopened && step.joinedBy === undefined,
    )
  return waiting && stepNameIn(waiting.key)
}

/** The run that waits in a step, if it still holds the key. */
export function liveRunOf({ awaiting, record }: WaitingStep): StageRun | undefined {
  const run = record?.run
  if (run?.uniqueRequestId !== awaiting.uniqueRequestId) return undefined
  return run.reopened || record?.epoch === awaiting.epoch ? run : undefined
}

interface WaitingStep {
  readonly awaiting: Awaiting
  readonly record: StageRecord | undefined
}

/** Whether no answer continues the run. A step that was reopened waits without holding the key. */
export function isRunOver(awaiting: Awaiting, siblings: readonly Item[]): boolean {
  const stage = siblings.find((item) => itemKey(item).sk === 'stage')
  const record = stage && readStageRecord(stage)
  return record !== undefined && !awaiting.reopened && liveRunOf({ awaiting, record }) === undefined
}
