import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ExplainJson } from '../../../src/tools/operator/explain/explain.ts'
import { itemKey } from '../../../src/library/entries/sweeper/address.ts'
import type { Item } from '../../../src/library/protocol/store/store.ts'
import { SAMPLES, SECRET } from '../operator/explain/samples.ts'
import { operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

/** One table that holds content wherever it can stand. */
async function planted() {
  const harness = await operatorHarness(cloud)
  const items: readonly Item[] = [
    ...SAMPLES.request.unknown,
    ...SAMPLES.flow.running,
    ...SAMPLES.step.waiting,
    ...SAMPLES.deadRun.dead,
    ...SAMPLES.other.stored.slice(1),
    ...SAMPLES.delayed.waiting,
    { ...SAMPLES.other.stored[0], sk: 'r1#000' },
  ]
  await harness.store.create(items.map((item) => ({ ...item, ...itemKey(item) })))
  return harness
}

it('explain --json has facts beside the words, a waterfall, and no content', async () => {
  const { cli } = await planted()
  const { code, out } = await cli('explain', 'r1', '--scan', '--json')
  expect(code).toBe(0)
  expect(out).not.toContain(SECRET)
  const json = JSON.parse(out) as ExplainJson
  expect(json.explained.map(({ facts: { kind, status } }) => `${kind} ${status}`)).toEqual(
    expect.arrayContaining([
      'request unknown',
      'flow overTime',
      'step overdue',
      'delayed due',
      'deadRun dead',
      'other stored',
    ]),
  )
  const parked = json.explained.find(({ facts }) => facts.kind === 'request')?.facts
  expect(parked).toMatchObject({
    claimedAt: '2026-01-01T11:59:00.000Z',
    advice: [
      { cure: true, args: [] },
      {
        action: 'decide',
        given: { id: 'orders/r1', made: [{ ask: 'answer', word: 'JSON', before: 'charge=' }] },
      },
      { action: 'decide', given: { id: 'orders/r1', decision: 'again', notDone: ['charge'] } },
      { action: 'decide', args: ['decide', 'orders/r1', 'done'] },
      { action: 'dlq.redrive' },
    ],
  })
  expect(json.waterfall).toMatchObject({
    lanes: expect.arrayContaining(['orders', 'trip.quote']),
    bars: expect.arrayContaining([
      expect.objectContaining({ lane: 'orders', kind: 'attempt', outcome: 'unknown' }),
      expect.objectContaining({ lane: 'trip.quote', kind: 'wait', open: true }),
    ]),
  })
  expect(json.timeline).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ kind: 'began', attempt: 2 })]),
  )
})

it('each row of ls --json says how to open it', async () => {
  const { cli, store } = await planted()
  await store.create([
    {
      pk: 'flow#trip/-k',
      sk: 'dead#-r',
      uniquerequestid: '-r',
      epoch: 1,
      fence: 1,
      'stage:pay': 'dead 1 terminal',
      statusShard: 'dead#1',
      dueAt: 1,
    },
  ])
  const { out } = await cli('ls', '--json')
  const { tasks } = JSON.parse(out) as {
    tasks: { kind: string; advice: { args: string[]; text: string }[] }[]
  }
  expect(tasks.map(({ kind }) => kind)).toEqual(['dead', 'dead'])
  for (const { advice } of tasks) {
    const opened = await cli(...(advice[0]?.args ?? []), '--json')
    expect(opened.code).toBe(0)
  }
})
