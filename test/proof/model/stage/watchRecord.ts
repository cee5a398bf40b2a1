import {
  isAtEnd,
  type StageEntry,
} from '../../../../src/library/protocol/claim/stage/stageEntry.ts'
import {
  ENDED,
  type StageRecord,
} from '../../../../src/library/protocol/claim/stage/stageRecord.ts'
import { broken, type Fact, factOf, type Facts, isNewer, note } from './facts.ts'
import type { Scenario } from './scenario.ts'
import type { Worker } from './state.ts'

export interface Change {
  readonly before: StageRecord | undefined
  readonly after: StageRecord
  readonly by: Worker
  readonly label: string
  readonly now: number
}

/** Checks the written record against what actually happened. */
export function watchRecord(scenario: Scenario, facts: Facts, change: Change): Facts {
  const { before, after } = change
  const [was, is] = [before?.run, after.run]
  const isSame = was?.uniqueRequestId === is?.uniqueRequestId && before?.epoch === after.epoch
  if (isSame) return is === undefined ? facts : watchStages(scenario, facts, change)
  const left = was === undefined ? facts : watchEnd(scenario, facts, change)
  return is === undefined ? left : watchStart(scenario, left, change)
}

function watchStart(scenario: Scenario, facts: Facts, { after, by, label }: Change): Facts {
  const uid = after.run?.uniqueRequestId ?? ''
  const fact = factOf(facts, uid)
  const { end } = fact
  const reopened = label === 'reopens'
  if (reopened ? end !== 'dead' : end !== '')
    return broken(facts, `L1 ended request restarts: ${uid} was ${end || 'never dead'}`)
  if (scenario.process === 'newest' && !reopened && !isNewer(scenario, uid, facts.newest))
    return broken(facts, `N1 newest wins: ${uid} starts after ${facts.newest}`)
  const newest = isNewer(scenario, uid, facts.newest) ? uid : facts.newest
  const again = reopened
    ? ({ ...reborn(fact, by.job.stage), end: '', deadLetters: [] } as const)
    : {}
  const next = { ...note(facts, uid, { ...again, started: true, life: after.epoch }), newest }
  return reopened ? watchReborn(next, by) : next
}

function watchReborn(facts: Facts, { job: { uid, stage, death } }: Worker): Facts {
  const last = factOf(facts, uid).deaths[stage]
  if (death === undefined || last === undefined || death >= last) return facts
  return broken(facts, `D1 a dead letter of an earlier death reopens it: ${uid} ${stage}`)
}

/** A stage that a redrive reopens has its whole retry budget again. Every other dead stage keeps its dead letter. */
function reborn(
  { deadLetters, runs, wasted }: Fact,
  stage: string,
): Pick<Fact, 'deadLetters' | 'runs' | 'wasted'> {
  return {
    deadLetters: deadLetters.filter((name) => name !== stage),
    runs: { ...runs, [stage]: 0 },
    wasted: { ...wasted, [stage]: 0 },
  }
}

function watchEnd(scenario: Scenario, facts: Facts, change: Change): Facts {
  const { before, after } = change
  const uid = before?.run?.uniqueRequestId ?? ''
  const { end } = factOf(facts, uid)
  if (end !== '') return broken(facts, `L2 two ends: ${uid} was ${end}`)
  if (after.run !== undefined) {
    const next = ended(facts, uid, 'superseded', before)
    const newer = isNewer(scenario, after.run.uniqueRequestId, uid)
    if (scenario.onConflict === 'supersede' && newer) return next
    return broken(next, `R2 reset of another's claim: ${uid} is replaced`)
  }
  const as = ENDED.find((one) => change.label.endsWith(one)) ?? 'reset'
  const next = as === 'completed' ? note(facts, uid, { end: as }) : ended(facts, uid, as, before)
  return as === 'reset' ? next : watchReset(scenario, next, uid, as, change)
}

function ended(
  facts: Facts,
  uid: string,
  end: 'superseded' | 'dead' | 'reset',
  before: StageRecord | undefined,
): Facts {
  const { badEnds } = factOf(facts, uid)
  return note(facts, uid, { end, badEnds: [...badEnds, `${before?.epoch} ${end}`].toSorted() })
}

function watchReset(
  scenario: Scenario,
  facts: Facts,
  uid: string,
  as: 'completed' | 'dead',
  { before, by }: Change,
): Facts {
  const others = [...(before?.run?.stages.values() ?? [])].filter((entry) => isForeign(entry, by))
  if (others.length > 0 || (by.pc.at === 'leave' && by.job.uid !== uid))
    return broken(facts, `R2 reset of another's claim: ${uid} is ended by ${by.job.uid}`)
  if (as !== 'completed') return facts
  const { deadLetters, done } = factOf(facts, uid)
  if (deadLetters.length > 0)
    return broken(facts, `L2 two ends: ${uid} is completed and dead-lettered`)
  const missing = needed(scenario).filter((name) => !done.includes(name))
  if (missing.length === 0) return facts
  return broken(facts, `R1 reset before all effects: ${uid} lacks ${missing.join(', ')}`)
}

function isForeign(entry: StageEntry, by: Worker): boolean {
  return !isAtEnd(entry) && entry.attemptId !== by.id
}

function needed({ stages }: Scenario): string[] {
  return Object.entries(stages).flatMap(([stage, steps]) =>
    steps.flatMap((step) => ('effect' in step ? [`${stage}:${step.effect}`] : [])),
  )
}

function watchStages(scenario: Scenario, facts: Facts, change: Change): Facts {
  let next = facts
  for (const [stage, entry] of change.after.run?.stages ?? []) {
    const was = change.before?.run?.stages.get(stage)
    if (was !== entry) next = watchEntry(scenario, next, change, { stage, was, entry })
  }
  return next
}

interface Entry {
  readonly stage: string
  readonly was: StageEntry | undefined
  readonly entry: StageEntry
}

function watchEntry(
  scenario: Scenario,
  facts: Facts,
  { after, by, now }: Change,
  { stage, was, entry }: Entry,
): Facts {
  const uid = after.run?.uniqueRequestId ?? ''
  const fact = factOf(facts, uid)
  if (entry.status === 'open' && was?.status !== 'open' && isOld(scenario, by, after, stage))
    return broken(facts, `L3 message of an earlier epoch continues a run: ${uid} ${stage}`)
  if (entry.status === 'open' && was?.status === 'retry' && was.notBefore > now)
    return broken(facts, `W1 a retry runs before its time: ${uid} ${stage}`)
  if (entry.status === 'open' && was?.status === 'dead')
    return watchReborn(note(facts, uid, reborn(fact, stage)), by)
  if (entry.status !== 'dying' || was?.status === 'dying' || entry.reason !== 'exhausted')
    return facts
  const used = (fact.runs[stage] ?? 0) + (fact.wasted[stage] ?? 0)
  if (used >= scenario.maxAttempts) return facts
  return broken(
    facts,
    `F1 dead before its budget is used: ${uid} ${stage} after ${used} executions`,
  )
}

function isOld({ stages }: Scenario, by: Worker, after: StageRecord, stage: string): boolean {
  const isFirst = stage === Object.keys(stages)[0]
  if (isFirst || by.job.death !== undefined || after.run?.reopened === true) return false
  return by.job.epoch !== after.epoch
}
