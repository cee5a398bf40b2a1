import { deadRunKey, readDeadRun } from '../../../../src/library/protocol/claim/stage/deadRun.ts'
import type { StageEntry } from '../../../../src/library/protocol/claim/stage/stageEntry.ts'
import type { StageRun } from '../../../../src/library/protocol/claim/stage/stageRecord.ts'
import { KEY } from './act.ts'
import { factOf, type Facts, isNewer } from './facts.ts'
import type { Scenario } from './scenario.ts'
import { addressOf, type State } from './state.ts'

/**
 * A request that has neither ended nor been reported. In a newest-flow a newer one stands for it that has started, or that
 * was reported to an operator.
 */
export function lostIn(scenario: Scenario, { of, newest }: Facts): string | undefined {
  const reported = Object.keys(of).filter((uid) => of[uid]?.reported)
  const stand = scenario.process === 'newest' ? [newest, ...reported] : []
  const lost = Object.entries(of).find(
    ([uid, fact]) =>
      (fact.end === '' || fact.end === 'coalesced') &&
      !fact.reported &&
      !stand.some((other) => isNewer(scenario, other, uid)),
  )
  if (lost === undefined) return undefined
  const [uid] = lost
  const newer = Object.keys(of).some((other) => isNewer(scenario, other, uid))
  return scenario.process === 'newest' && !newer
    ? `N2 newest wins: the newest request is lost: ${uid}`
    : `I1 request lost: ${uid}`
}

/** A dead request that a redrive of all its dead letters would not bring to its end. */
export function untoldIn(scenario: Scenario, { items, facts }: State): string | undefined {
  for (const [uid, { end, reported, deaths }] of Object.entries(facts.of)) {
    const replaced = scenario.process === 'newest' && isNewer(scenario, facts.newest, uid)
    if (end !== 'dead' || reported || replaced) continue
    const item = items.get(addressOf(deadRunKey(KEY, uid)))
    const stages = (item && readDeadRun(item))?.stages ?? new Map<string, StageEntry>()
    const missing = unfinished(stages).find(
      ([stage, epoch]) => deaths[stage] === undefined || deaths[stage] < epoch,
    )
    if (missing !== undefined) return `T3 no dead letter for a dead stage: ${uid} ${missing[0]}`
  }
  return undefined
}

/** Each bad end is told once, and no other. */
export function unreportedIn({ reports }: Scenario, { of }: Facts): string | undefined {
  if (!reports) return undefined
  for (const [uid, { badEnds, told }] of Object.entries(of)) {
    const unreported = badEnds.find((end) => !told.includes(end))
    if (unreported !== undefined) return `M2 nobody is told of an end: ${uid} ${unreported}`
    const invented = told.find((end) => !badEnds.includes(end))
    if (invented !== undefined) return `M3 told of an end that has not happened: ${uid} ${invented}`
  }
  return undefined
}

/** The run waits for something that was reported to an operator. */
export function isTold({ facts }: State, run: StageRun): boolean {
  const { reported, deaths } = factOf(facts, run.uniqueRequestId)
  return reported || unfinished(run.stages).some(([stage, epoch]) => (deaths[stage] ?? -1) >= epoch)
}

/** Dead stages with the epoch of their death, and stages that were sent to and never ran. */
function unfinished(stages: ReadonlyMap<string, StageEntry>): [stage: string, epoch: number][] {
  return [...stages].flatMap(([stage, entry]): [string, number][] => {
    if (entry.status === 'dead') return [[stage, entry.epoch]]
    if (entry.status !== 'settled') return []
    return entry.sentTo.filter((next) => !stages.has(next)).map((next) => [next, 0])
  })
}

/** The tables at the end show the newest request that has completed, or a newer one that died. */
export function staleIn(scenario: Scenario, { of, writers }: Facts): string | undefined {
  if (scenario.process === 'every') return undefined
  const done = Object.keys(of).filter((uid) => of[uid]?.end === 'completed')
  const newest = done.reduce((one, other) => (isNewer(scenario, one, other) ? one : other), '')
  const stale = Object.entries(writers).find(([, uid]) => isNewer(scenario, newest, uid))
  return stale && `N2 newest wins: at the end ${stale[0]} is of ${stale[1]}, not of ${newest}`
}
