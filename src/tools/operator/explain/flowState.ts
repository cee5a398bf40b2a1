import { leaseOf } from '../../../library/protocol/claim/stage/stageEntry.ts'
import {
  readMarks,
  type StageRecord,
  type StageRun,
} from '../../../library/protocol/claim/stage/stageRecord.ts'
import { requestIn } from '../../../library/protocol/claim/stage/version.ts'
import type { Item } from '../../../library/protocol/store/store.ts'
import type { FlowFacts, DeadRunFacts, Own } from './facts.ts'
import { firstSentAt } from '../item/task.ts'
import { awaitedSteps, reopenedStep, stageFacts } from './stageState.ts'
import type { DeadRun } from '../../../library/protocol/claim/stage/deadRun.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { nonEmptyText, timeIn } from '../text/humanTime.ts'

/** What the record says, with the items beside it. */
export type FlowState = Own<FlowFacts, 'fates' | 'logs' | 'lastMarks'>

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

function statusOf({ stages, giveUpAt }: StageRun, now: number): FlowFacts['status'] {
  const entries = [...stages.values()]
  if (entries.some((entry) => leaseOf(entry) > now)) return 'running'
  if (giveUpAt <= now) return 'overTime'
  return entries.some((entry) => leaseOf(entry) > 0) ? 'lost' : 'waiting'
}

function runFacts(
  pk: string,
  { uniqueRequestId: request, giveUpAt, reopened, stages, marks }: StageRun,
  siblings: readonly Item[],
  now: number,
): NonNullable<FlowFacts['run']> {
  return {
    request,
    giveUpAt,
    reopened,
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
  return version === undefined
    ? undefined
    : { request: requestIn(version), sentAt: firstSentAt(version) }
}

/** @param item the dead run's own item */
export function deadRunState(
  { uniqueRequestId: request, stages, marks }: DeadRun,
  item: Item,
  siblings: readonly Item[],
  now: number,
): Own<DeadRunFacts, 'logs'> {
  const { pk } = itemKey(item)
  return {
    kind: 'deadRun',
    status: statusOfDead(item, reopenedStep(request, siblings)),
    request,
    diedAt: timeIn(item['created']),
    stages: stageFacts({ pk, request, stages, marks }, siblings, now),
    error: nonEmptyText(item['error']),
    stack: nonEmptyText(item['stack']),
    marks: [...marks],
  }
}

function statusOfDead({ statusShard }: Item, reopened: string | undefined): DeadRunFacts['status'] {
  if (statusShard !== undefined) return 'dead'
  return reopened === undefined ? 'closed' : 'waiting'
}
