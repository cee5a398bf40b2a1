import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'
import { sortableId } from '../../../src/library/base/sortableId.ts'
import { itemStore } from '../../../src/library/protocol/claim/itemStore.ts'
import { MAX_LAMBDA_MS } from '../../../src/library/protocol/claim/lease.ts'
import { resetFromOutside } from '../../../src/library/protocol/claim/stage/abandonRun.ts'
import { claimWrite } from '../../../src/library/protocol/claim/stage/claimWrite.ts'
import { reportSuperseded } from '../../../src/library/protocol/claim/stage/claimInRecord.ts'
import type { EndReport } from '../../../src/library/protocol/claim/stage/endReport.ts'
import { endRun } from '../../../src/library/protocol/claim/stage/endRun.ts'
import { readStageRecord } from '../../../src/library/protocol/claim/stage/stageRecord.ts'
import { writeEnding } from '../../../src/library/protocol/claim/stage/writeEnding.ts'
import type { Creation, Item } from '../../../src/library/protocol/store/store.ts'
import { GIVE_UP, type Given, itemOf, KEY, LIVE, NOW, request, running } from './given.ts'

const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/1/failures'
const CLOSING = { now: NOW, retention: 1_000 }
const newer = request({ uniqueRequestId: 'r5', sentAt: 6 })

function open(leaseUntil: number): string {
  return `open 1 a1 ${leaseUntil} 0`
}

function messageIn(creation: Creation | undefined): unknown {
  const message = creation?.create['message']
  return typeof message === 'string' ? JSON.parse(message) : undefined
}

function reportIn(creation: Creation | undefined): EndReport {
  const { body } = messageIn(creation) as { body: string }
  return JSON.parse(body) as EndReport
}

/** What the start of a newer request writes. */
function superseding(given: Given) {
  const verdict = { kind: 'start', record: running(given) } as const
  const write = reportSuperseded(claimWrite(verdict, newer, KEY), verdict, newer, CLOSING)
  if (write.kind !== 'update') throw new Error('it has a record')
  return write
}

function dead(given: Given) {
  const record = running(given)
  return endRun(record, record.run, { as: 'dead', stages: record.run.stages }, CLOSING)
}

describe('the report of an end', () => {
  const given = {
    uniquerequestid: 'r4',
    giveUpAt: GIVE_UP,
    failures: QUEUE,
    'stage:validate': open(LIVE),
    applied: new Set(['validate:seat', 'validate?1:charge']),
    restored: '["validate:before"]',
  }

  it('says who took over, and what the run has made', () => {
    const { report } = superseding(given)
    expect(reportIn(report)).toEqual({
      flow: 'checkout',
      key: 'cart/1',
      uniqueRequestId: 'r4',
      epoch: 3,
      as: 'superseded',
      by: 'r5',
      died: [],
      marks: ['validate:seat', 'validate?1:charge', 'validate:before'],
    })
    expect(report?.create).toMatchObject({
      queue: QUEUE,
      by: 'checkout.failures',
      uniquerequestid: 'r4',
      due: LIVE,
    })
  })

  it('of a reset and of a death, which tells why and at once', () => {
    const record = running(given)
    expect(reportIn(resetFromOutside(record, CLOSING)?.report)).toMatchObject({ as: 'reset' })
    const { report } = dead({ ...given, 'stage:validate': 'dead 3 too old' })
    expect(reportIn(report)).toMatchObject({
      as: 'dead',
      died: [{ stage: 'validate', reason: 'too old' }],
    })
    expect(report?.create['due']).toBe(NOW)
  })

  it('is not made of a run that has completed, or whose flow has no failure handler', () => {
    const record = running(given)
    const { stages } = record.run
    expect(endRun(record, record.run, { as: 'completed', stages }, CLOSING).report).toBeUndefined()
    expect(superseding({ ...given, failures: undefined }).report).toBeUndefined()
    expect(dead({ ...given, failures: undefined }).report).toBeUndefined()
  })

  it.each([
    ['whose lease is over', open(NOW - 1), NOW],
    ['that lives', open(LIVE), LIVE],
    ['that has failed', `retry 1 ${sortableId(NOW - 5)} ${NOW} 1 sent`, NOW - 5 + MAX_LAMBDA_MS],
    ['of an unknown time that has failed', `retry 1 a1 ${NOW} 1 sent`, NOW + MAX_LAMBDA_MS],
    ['that is dead', 'dead 3 terminal', NOW + MAX_LAMBDA_MS],
    ['that has settled', 'settled on pay', NOW],
  ])('waits for an attempt %s', (_what, entry, due) => {
    expect(superseding({ ...given, 'stage:validate': entry }).report?.create['due']).toBe(due)
  })

  it('has the group that a FIFO queue needs: the key', () => {
    const { report } = superseding({ ...given, failures: `${QUEUE}.fifo` })
    expect(messageIn(report)).toMatchObject({
      groupId: expect.any(String),
      deduplicationId: expect.any(String),
    })
  })

  it.each([
    ['long names', (nth: number) => `validate:${nth}`.padEnd(120)],
    ['names whose JSON is long', (nth: number) => `validate:${nth}`.padEnd(40, '"')],
  ])('leaves out what does not fit into an item: %s', (_what, nameOf) => {
    const applied = new Set(Array.from({ length: 2_700 }, (_, nth) => nameOf(nth)))
    const { report } = superseding({ ...given, applied })
    expect(reportIn(report)).not.toHaveProperty('marks')
    expect(JSON.stringify(report).length).toBeLessThan(2_000)
  })

  it('is written only while the run has made nothing more', async () => {
    const ends = [
      (given: Given) => superseding(given),
      (given: Given) => {
        const { finish: update, report } = dead(given)
        return { update, report }
      },
    ]
    for (const end of ends) {
      for (const applied of [undefined, given.applied]) {
        const before = { ...given, applied }
        const { update, report } = end(before)
        const store = memoryStore()
        await store.create([itemOf({ ...before, format: undefined }) as Item & typeof KEY])
        const mark = { key: KEY, where: [], addTo: { field: 'applied', member: 'validate:late' } }
        await store.update([mark])
        const refused = await itemStore(store).updateBeside(update, report as Creation)
        expect(refused.kind).toBe('refused')
        const item = 'item' in refused ? refused.item : undefined
        expect(item && readStageRecord(item)?.run?.marks.has('validate:late')).toBe(true)
        expect(store.items()).toHaveLength(1)
        // What is decided again on the item that has refused it holds.
        const again = end(item as Given)
        const written = await itemStore(store).updateBeside(again.update, again.report as Creation)
        expect(written.kind).toBe('applied')
        expect(store.items()).toHaveLength(2)
      }
    }
  })

  it('that is there already does not keep a run from its end', async () => {
    const store = memoryStore()
    const ending = dead(given)
    const { report } = ending
    await store.create([itemOf(given) as Item & typeof KEY, (report as Creation).create])
    expect((await writeEnding(itemStore(store), ending)).kind).toBe('applied')
    expect(store.items().find(({ sk }) => sk === 'stage')).toMatchObject({ epoch: 4 })
  })

  it('reaches a handler that was deployed while the run went on, and leaves with it', () => {
    const asked = request({ stage: 'validate', failures: QUEUE })
    const going = running({ 'stage:validate': open(NOW - 1) })
    const taken = claimWrite({ kind: 'takeOver', record: going }, asked, KEY)
    expect(taken).toMatchObject({ update: { set: { failures: QUEUE } } })
    const next = claimWrite({ kind: 'start', record: running(given) }, newer, KEY)
    expect(next).toMatchObject({ update: { remove: expect.arrayContaining(['failures']) } })
  })
})
