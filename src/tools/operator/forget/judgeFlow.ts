import { idInKey } from '../../../library/base/ids.ts'
import { readAwaiting } from '../../../library/protocol/claim/awaiting/awaiting.ts'
import { readDeadRun } from '../../../library/protocol/claim/stage/deadRun.ts'
import {
  readStageRecord,
  type StageRecord,
} from '../../../library/protocol/claim/stage/stageRecord.ts'
import type { Condition, Item } from '../../../library/protocol/store/store.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { commandText, decideCommand } from '../item/advise.ts'
import { is } from '../plan/applyPlan.ts'
import { displayId } from '../text/itemId.ts'
import { dropped, type Erasure, erasing, type Judged, left, operatorReason } from './judged.ts'

/**
 * The rows of a key of a flow. A dead run is closed first, so that no dead letter of it can be continued; then the record gets
 * another epoch, so that a message that has read the dead run before is judged anew; only then are its answers erased. Without them
 * a continued run would make its calls again.
 */
export function judgeFlow(items: readonly Item[], now: number): readonly Judged[] {
  const bySk = (start: string): readonly Item[] =>
    items.filter((each) => itemKey(each).sk.split('#')[0] === start)
  const [stage] = bySk('stage')
  const record = stage && readStageRecord(stage)
  if (stage !== undefined && record === undefined) {
    return [left(itemKey(stage), 'this version cannot read it')]
  }
  const open = new Set<string>()
  const current = record && runOf(record)
  if (current !== undefined) open.add(current.id)
  const dead = bySk('dead').map((item) => judgeDead(item, record, now))
  for (const { id, judged } of dead) if (judged?.kind === 'left') open.add(id)
  const closing = dead.flatMap(({ judged }) => judged ?? [])
  // @protects what a run that can go on has stored stays
  // @without false @tests test/tools/operator/forget
  const isOpen = (item: Item): boolean => open.has(runKeyIn(item))
  const parts = [...bySk('answer'), ...bySk('await')]
    .filter((item) => !isOpen(item))
    .flatMap(judgePart)
  const needed = [...closing, ...parts].some(({ kind }) => kind === 'erase')
  const own =
    stage === undefined || record === undefined ? undefined : judgeStage(stage, record, needed)
  return [...closing, current?.judged, own, ...parts].filter((each) => each !== undefined)
}

function runOf({
  key,
  run,
}: StageRecord): { readonly id: string; readonly judged: Judged } | undefined {
  if (run === undefined) return undefined
  const free = commandText(decideCommand(displayId(key.pk), 'free'))
  const because = `the run of ${run.uniqueRequestId} has not ended, and needs what is stored. If it is not to go on: ${free}`
  return { id: idInKey(run.uniqueRequestId), judged: left(key, because) }
}

/** `answer#RUN#…`, `await#STEP#RUN`, `await#STEP#RUN#…` */
function runKeyIn(item: Item): string {
  const [kind, one = '', two = ''] = itemKey(item).sk.split('#')
  return kind === 'answer' ? one : two
}

function judgeDead(
  item: Item,
  record: StageRecord | undefined,
  now: number,
): { readonly id: string; readonly judged: Judged | undefined } {
  const key = itemKey(item)
  const run = readDeadRun(item)
  const id = idInKey(run?.uniqueRequestId ?? key.sk.slice('dead#'.length))
  const leave = (because: string) => ({ id, judged: left(key, because) })
  if (run === undefined) return leave('this version cannot read it')
  const { uniqueRequestId: request, epoch, fence, continuable = Infinity } = run
  if (record?.run?.uniqueRequestId === request) return { id, judged: undefined }
  if (item['statusShard'] !== undefined) {
    const drop = commandText(decideCommand(displayId(key.pk), 'drop', { request }))
    return leave(
      `the run of ${request} is dead, and can be continued. If it is not to go on: ${drop}`,
    )
  }
  if (continuable > now && record === undefined) {
    return leave(
      `the run of ${request} can be continued by its dead letter, and its record is gone`,
    )
  }
  const where = [is('fence', fence), is('epoch', epoch), { absent: 'statusShard' } as const]
  const judged = erasing(key, where, [
    dropped(item, 'error'),
    dropped(item, 'stack'),
    // @protects a dead letter does not continue a run whose answers are erased
    // @without undefined @tests test/tools/operator/forget
    continuable > now
      ? { what: ['what a dead letter could continue'], set: { continuable: 0 } }
      : undefined,
    operatorReason(item),
  ])
  return { id, judged }
}

function judgeStage(item: Item, record: StageRecord, isNeeded: boolean): Judged | undefined {
  const { key, epoch, fence, run } = record
  if (run !== undefined) return undefined
  const where: readonly Condition[] = [
    is('epoch', epoch),
    is('fence', fence),
    { absent: 'uniquerequestid' },
  ]
  if (!isNeeded) return erasing(key, where, [operatorReason(item)])
  const barrier = {
    what: ['what a run could continue'],
    set: {
      // @protects a message that has read a dead run does not continue it once that is closed
      // @without its left @tests test/tools/operator/forget
      epoch: epoch + 1,
      fence: fence + 1,
    },
  }
  const erasure = erasing(key, where, [barrier, operatorReason(item)], ['idle'])
  return erasure && { ...erasure, isBarrier: true }
}

function judgePart(item: Item): readonly Judged[] {
  const key = itemKey(item)
  const [kind, , , more] = key.sk.split('#')
  if (kind === 'answer')
    return once(erasing(key, [{ exists: 'answer' }], [dropped(item, 'answer')]))
  if (more !== undefined) return once(erasing(key, [{ exists: 'body' }], [dropped(item, 'body')]))
  const awaiting = readAwaiting(item)
  if (awaiting === undefined) return [left(key, 'this version cannot read it')]
  const { epoch, count, until } = awaiting
  const where = [is('epoch', epoch), is('count', count), is('until', until)]
  return once(erasing(key, where, [dropped(item, 'rejected'), operatorReason(item)]))
}

function once(erasure: Erasure | undefined): readonly Judged[] {
  return erasure === undefined ? [] : [erasure]
}
