import { stableId } from '../../base/ids.ts'
import { IN_SQL, type StageRun } from '../../claim/stage/stageRecord.ts'
import { isObject } from '../../base/kindOf.ts'
import type { UndoStage } from '../../consumer/undo.ts'

/** What the record of a run says about its undo. */
export interface UndoPlan {
  /** The version of the request, epoch milliseconds. */
  readonly sentAt: number
  /** In the order in which the flow declares them. */
  readonly stages: readonly UndoStage[]
  /** The flow has the option `sql`: which effects were made there, only the database knows. */
  readonly inSql: boolean
  /** Whether a run that dies is undone without an operator. */
  readonly undoDead: boolean
  /** Of the run, on a fair queue. */
  readonly tenant?: string
}

const DEAD = 'dead'

/**
 * One text: as JSON, `[sentAt, [stage, queueUrl], …]`, with `dead` at its end if dead runs are undone, and `sql` before it where
 * effects may be in SQL. The tenant is the third text of the first pair, where version 0.2 does not look.
 */
export function writePlan({ sentAt, stages, inSql, undoDead, tenant }: UndoPlan): string {
  const pairs = stages.map(({ stage, queueUrl }) => [stage, queueUrl])
  if (tenant !== undefined) pairs[0]?.push(tenant)
  const text = JSON.stringify([sentAt, ...pairs, ...(undoDead ? [DEAD] : [])])
  return inSql ? IN_SQL + text : text
}

/** @throws when `writePlan` has not written it */
export function readPlan(text: string): UndoPlan {
  const inSql = text.startsWith(IN_SQL)
  const parsed: unknown = JSON.parse(inSql ? text.slice(IN_SQL.length) : text)
  const [sentAt, ...rest] = Array.isArray(parsed) ? (parsed as unknown[]) : []
  const undoDead = rest.at(-1) === DEAD
  const pairs = undoDead ? rest.slice(0, -1) : rest
  const stages = pairs.map((pair) => {
    const [stage, queueUrl] = Array.isArray(pair) ? (pair as unknown[]) : []
    if (typeof stage !== 'string' || typeof queueUrl !== 'string') throw unreadable()
    return { stage, queueUrl }
  })
  if (typeof sentAt !== 'number' || isObject(sentAt)) throw unreadable()
  const tenant = Array.isArray(pairs[0]) ? (pairs[0] as unknown[])[2] : undefined
  return { sentAt, stages, inSql, undoDead, ...(typeof tenant === 'string' && { tenant }) }
}

function unreadable(): Error {
  return new Error('the plan of an undo was written by a newer version, or by hand')
}

/** The stages to undo: those that have made effects, or may have made some in SQL, the last one first. */
export function stagesToUndo(
  { stages, inSql }: UndoPlan,
  { marks, stages: begun }: Pick<StageRun, 'marks' | 'stages'>,
): readonly UndoStage[] {
  const marked = new Set([...marks].map(stageOfMark))
  const made = stages.filter(({ stage }) => marked.has(stage) || (inSql && begun.has(stage)))
  return inRunOrder(made, begun).toReversed()
}

/**
 * As declared, but each after those that led to it: awaited steps are not declared among the stages. A stage that has not settled
 * has led to none, because those it sends to wait for it.
 */
function inRunOrder(stages: readonly UndoStage[], begun: StageRun['stages']): readonly UndoStage[] {
  const ordered: UndoStage[] = []
  for (let left = stages; left.length > 0; left = left.filter((one) => !ordered.includes(one))) {
    const isNext = ({ stage }: UndoStage): boolean =>
      left.every((one) => !leadsTo(begun, one.stage, stage))
    ordered.push(...left.filter(isNext).slice(0, 1), ...(left.some(isNext) ? [] : left))
  }
  return ordered
}

/** Whether a message of `from`, or of a stage after it, has brought about `to`. */
function leadsTo(begun: StageRun['stages'], from: string, to: string): boolean {
  const seen = new Set([from])
  for (const name of seen) {
    const entry = begun.get(name)
    if (entry?.status === 'settled') for (const next of entry.sentTo) seen.add(next)
  }
  return from !== to && seen.has(to)
}

/** Marks are `stage:name`, `stage?nth:name` and `stage!nth:name`. Names of stages contain none of these signs. */
function stageOfMark(mark: string): string {
  return mark.slice(0, mark.search(/[:?!]/))
}

/** The id of the record that undoes the effects of a stage. The epoch is that of the run which has ended. */
export function undoId(uniqueRequestId: string, epoch: number, stage: string): string {
  return stableId(uniqueRequestId, String(epoch), 'undo', stage)
}
