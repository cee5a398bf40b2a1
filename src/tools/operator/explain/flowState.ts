import { leaseOf } from '../../../claim/stage/stageEntry.ts'
import { readMarks, type StageRecord, type StageRun } from '../../../claim/stage/stageRecord.ts'
import { requestIn } from '../../../claim/stage/version.ts'
import type { Item } from '../../../store/store.ts'
import type { FlowFacts } from './facts.ts'
import { awaitedSteps, stageFacts } from './stageState.ts'

/** What the record says, with the items beside it. */
export type FlowState = Omit<
  FlowFacts,
  'id' | 'pk' | 'sk' | 'of' | 'operator' | 'advice' | 'fates' | 'logs' | 'lastMarks'
>

export function flowState(
  record: StageRecord,
  now: number,
  siblings: readonly Item[] = [],
): FlowState {
  const { run, newest, waiting, dropped, ended, last, epoch, fence } = record
  return {
    kind: 'flow',
    status: run === undefined ? 'idle' : statusOf(run, now),
    epoch,
    fence,
    run: run && runFacts(record.key.pk, run, siblings, now),
    newest: versionFacts(newest),
    waiting: versionFacts(waiting),
    last,
    ended: ended.length,
    dropped: dropped.length,
  }
}

function statusOf({ ending, stages, giveUpAt }: StageRun, now: number): FlowFacts['status'] {
  if (ending !== undefined) return 'ending'
  const entries = [...stages.values()]
  if (entries.some((entry) => leaseOf(entry) > now)) return 'running'
  if (giveUpAt <= now) return 'overTime'
  return entries.some((entry) => leaseOf(entry) > 0) ? 'lost' : 'waiting'
}

function runFacts(
  pk: string,
  { uniqueRequestId: request, giveUpAt, reopened, ending, stages, marks }: StageRun,
  siblings: readonly Item[],
  now: number,
): NonNullable<FlowFacts['run']> {
  return {
    request,
    giveUpAt,
    reopened,
    ending: ending && { as: ending.as, undo: ending.as !== 'dead' },
    stages: stageFacts({ pk, request, stages, marks }, siblings, now),
    marks: [...marks],
    steps: awaitedSteps(siblings, request),
  }
}

/** The effects and calls of the last run of a key, which its record keeps until the next one starts. */
export function lastMarks({ run, last }: StageRecord, item: Item): readonly string[] {
  return run === undefined && last !== undefined ? [...(readMarks(item) ?? [])] : []
}

function versionFacts(version: string | undefined): FlowFacts['newest'] {
  if (version === undefined) return undefined
  const sentAt = Number(version.slice(0, version.indexOf('#')))
  return { request: requestIn(version), sentAt }
}
