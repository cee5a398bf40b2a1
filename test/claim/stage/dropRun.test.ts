import { describe, expect, it } from 'vitest'
import { MAX_LAMBDA_MS } from '../../../src/library/protocol/claim/lease.ts'
import { itemStore } from '../../../src/library/protocol/claim/itemStore.ts'
import { memoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'
import { claimWrite } from '../../../src/library/protocol/claim/stage/claimWrite.ts'
import { deadRunKey, readDeadRun } from '../../../src/library/protocol/claim/stage/deadRun.ts'
import { decideStart } from '../../../src/library/protocol/claim/stage/decideStage.ts'
import { dropDeadRun } from '../../../src/library/protocol/claim/stage/dropRun.ts'
import { endRun } from '../../../src/library/protocol/claim/stage/endRun.ts'
import { readHistory } from '../../../src/library/protocol/claim/stage/requestHistory.ts'
import {
  isForgotten,
  readStageRecord,
  type StageRecord,
} from '../../../src/library/protocol/claim/stage/stageRecord.ts'
import { writeEnding } from '../../../src/library/protocol/claim/stage/writeEnding.ts'
import { digestOf } from '../../../src/library/protocol/claim/stage/version.ts'
import type { Item, Update } from '../../../src/library/protocol/store/store.ts'
import { GIVE_UP, type Given, idle, KEY, NOW, request, running } from './given.ts'

const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/1/failures'
const CLOSING = { now: NOW, retention: 60_000 }
const redriven = request({ death: 3, giveUpAt: GIVE_UP })

/** Run `r4` has died in its first stage. The table after it: the record, and what is kept of the run. */
function died(given: Given = {}) {
  const record = running({
    failures: QUEUE,
    'stage:validate': 'dead 3 terminal',
    applied: new Set(['validate:seat']),
    ...given,
  })
  const { stages } = record.run
  const { deadRun, finish } = endRun(record, record.run, { as: 'dead', stages }, CLOSING)
  const item: Item = deadRun?.create ?? {}
  const gone: Given = Object.fromEntries((finish.remove ?? []).map((name) => [name, undefined]))
  const left = idle({ ...gone, ...finish.set })
  return { item, record: left, deadRun: readDeadRunOf(item) }
}

function readDeadRunOf(item: Item) {
  const deadRun = readDeadRun(item)
  if (deadRun === undefined) throw new Error('it cannot be read')
  return { ...deadRun, died: NOW }
}

function drop(
  record: StageRecord | undefined,
  deadRun: ReturnType<typeof readDeadRunOf>,
  now = NOW,
) {
  const dropped = dropDeadRun(KEY, record, deadRun, { ...CLOSING, now })
  if (dropped === undefined) throw new Error('it has the key')
  return dropped
}

function judge(record: StageRecord | undefined, dead: Item, more: Partial<typeof redriven> = {}) {
  const history = readHistory(record?.epoch ?? 0, [dead, undefined], NOW)
  return decideStart(record, { ...redriven, ...more, history }, NOW)
}

describe('a dead run that an operator drops', () => {
  it('is not reopened by its dead letter any more, whatever its record still is', () => {
    const { record, item } = died()
    expect(judge(record, item).kind).toBe('reopen')
    const begun = { ...item, dropped: 'begun' }
    expect(judge(record, begun).kind).toBe('busy')
    expect(judge(record, begun, { fifo: true })).toMatchObject({ kind: 'refuse' })
    const dropped = { ...item, dropped: 'done' }
    expect(judge(record, dropped)).toEqual({ kind: 'over', as: 'reset' })
    expect(judge(undefined, item).kind).toBe('reopen')
    expect(judge(undefined, dropped)).toEqual({ kind: 'over', as: 'reset' })
  })

  it('is not reopened by a redrive that has looked before', async () => {
    const { record, item, deadRun } = died()
    const verdict = judge(record, item)
    if (verdict.kind !== 'reopen') throw new Error(verdict.kind)
    const late = claimWrite(verdict, redriven, KEY)
    if (late.kind !== 'update') throw new Error(late.kind)
    const store = memoryStore()
    await store.create([{ ...KEY, epoch: record.epoch, fence: record.fence }])
    const { finish } = drop(record, deadRun).ending
    expect(await store.update([finish, late.update])).toMatchObject([
      { kind: 'applied' },
      { kind: 'refused' },
    ])
  })

  it('and whose record has gone leaves one that counts as gone, and refuses the same', async () => {
    const { deadRun } = died()
    const later = NOW + 10 * 86_400_000
    const { ending } = drop(undefined, deadRun, later)
    const store = memoryStore()
    expect(await writeEnding(itemStore(store), { ...ending, report: undefined })).toMatchObject({
      kind: 'applied',
    })
    const [item] = store.items()
    const record = item && readStageRecord(item)
    expect(record).toMatchObject({ epoch: 4, fence: 7 })
    expect(record && isForgotten(record, later)).toBe(true)
    // Another function was faster.
    expect(await store.update([ending.finish])).toMatchObject([{ kind: 'refused' }])
  })

  it('leaves the run of another request alone, as long as that has the key', async () => {
    const { deadRun } = died()
    const other = running({ uniquerequestid: 'r5', epoch: 5 })
    const { finish } = drop(other, deadRun).ending
    expect(finish.set).toEqual({})
    const store = memoryStore()
    await store.create([{ ...KEY, epoch: 5, fence: 9, uniquerequestid: 'r5' }])
    expect(await store.update([finish])).toMatchObject([{ kind: 'applied' }])
    const ends: Update = { key: KEY, where: [], set: { epoch: 6 }, remove: ['uniquerequestid'] }
    await store.update([ends])
    expect(await store.update([finish])).toMatchObject([{ kind: 'refused' }])
  })

  it('is not dropped once it was redriven', () => {
    const { deadRun } = died()
    expect(dropDeadRun(KEY, running({ epoch: 5 }), deadRun, CLOSING)).toBeUndefined()
  })

  it('can be redriven when it was redriven at the same moment, and has died again', () => {
    const { deadRun } = died()
    const again = died({ epoch: 5, fence: 8 })
    const record = running({ epoch: 5, fence: 8 })
    const { stages } = record.run
    const parked = endRun(record, record.run, { as: 'dead', stages }, CLOSING).deadRun
    expect(parked?.update.remove).toContain('dropped')
    // The write of the drop is refused by what the second death has left.
    expect(drop(again.record, deadRun).mark.where).toContainEqual({
      field: 'fence',
      is: '=',
      value: 7,
    })
  })

  it('is told to the failure handler that it had when it died, with all that it has made', () => {
    const { record, deadRun } = died()
    const { report } = drop(record, deadRun).ending
    const message = report?.create['message']
    if (typeof message !== 'string') throw new Error('no message')
    const { body } = JSON.parse(message) as { body: string }
    expect(JSON.parse(body)).toEqual({
      flow: 'checkout',
      key: 'cart/1',
      uniqueRequestId: 'r4',
      epoch: 3,
      as: 'dropped',
      died: [{ stage: 'validate', reason: 'terminal' }],
      marks: ['validate:seat'],
    })
    expect(
      drop(died({ failures: undefined }).record, died({ failures: undefined }).deadRun).ending
        .report,
    ).toBeUndefined()
  })

  it.each([
    ['at once', NOW, NOW + MAX_LAMBDA_MS],
    ['later', NOW + 2 * MAX_LAMBDA_MS, NOW + 2 * MAX_LAMBDA_MS],
  ])('%s: its end is told when none of its calls can land any more', (_when, now, due) => {
    const { record, deadRun } = died()
    expect(drop(record, deadRun, now).ending.report?.create['due']).toBe(due)
    const unknown = drop(record, { ...deadRun, died: Number.NaN }, now)
    expect(unknown.ending.report?.create['due']).toBe(now + MAX_LAMBDA_MS)
  })

  it('is listed until all is written', () => {
    const { record, deadRun } = died()
    const { mark, afterwards } = drop(record, deadRun)
    expect(mark).toMatchObject({ key: deadRunKey(KEY, 'r4'), set: { dropped: 'begun' } })
    expect(mark.remove).toBeUndefined()
    expect(afterwards.remove).toContain('statusShard')
    expect(digestOf('r4')).toBe(record.last?.digest)
  })
})
