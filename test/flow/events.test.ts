import { defineFlow, eventBridge, s3Events } from 'lineclear'
import { eventBridgeEvent, memoryCloud, s3Notification } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'

const HOUR = 3_600_000
const Moved = z.object({ parcelId: z.string(), place: z.string() })
const moved = (place: string, time: number, replayName?: string) =>
  eventBridgeEvent(
    { parcelId: 'p1', place },
    {
      source: 'my.parcels',
      detailType: 'ParcelMoved',
      id: `e-${place}`,
      time,
      ...(replayName !== undefined && { replayName }),
    },
  )

it('a run begins with an event: the newest by its time, once, whatever the order of arrival', async () => {
  const cloud = memoryCloud({ queues: { moves: {}, tell: {} } })
  const { store, clients, clock, logger } = cloud
  const flow = defineFlow({
    name: 'parcels',
    store,
    clients,
    clock,
    logger,
    key: ({ parcelId }) => parcelId,
    stages: {
      moves: { schema: Moved, envelopes: [eventBridge()], queueUrl: cloud.queueUrl('moves') },
      tell: { schema: Moved, queueUrl: cloud.queueUrl('tell'), final: true },
    },
  })
  const told: string[] = []
  const handlers = {
    moves: flow.stageHandler('moves', (payload, ctx) => ctx.next('tell', payload)),
    tell: flow.stageHandler('tell', ({ place }) => void told.push(place)),
  }
  const now = clock.now()
  for (const event of [moved('door', now - HOUR), moved('harbour', now - 2 * HOUR)]) {
    cloud.send('moves', event)
    await cloud.drain(handlers)
  }
  cloud.send('moves', moved('door', now - HOUR, 'again'))
  await cloud.drain(handlers)
  expect(told).toEqual(['door'])
})

it('an awaited step is answered by an event, whose id is in its detail', async () => {
  const cloud = memoryCloud({ queues: { scans: {}, found: {} } })
  const { store, clients, clock, logger } = cloud
  const uploads = s3Events({ buckets: ['my-uploads'] })
  const flow = defineFlow({
    name: 'scans',
    store,
    clients,
    clock,
    logger,
    key: ({ key }) => key,
    stages: {
      scan: { schema: uploads.schema, envelopes: [uploads], queueUrl: cloud.queueUrl('scans') },
    },
    awaitingSteps: {
      scanned: {
        schema: z.object({ scanId: z.string(), clean: z.boolean() }),
        id: ({ scanId }) => scanId,
        envelopes: [eventBridge({ sources: ['my.scanner'] })],
        queueUrl: cloud.queueUrl('found'),
      },
    },
  })
  const found: unknown[] = []
  const handlers = {
    scans: flow.stageHandler('scan', ({ key }, ctx) => ctx.awaitStep('scanned', key, () => {})),
    found: flow.answerHandler('scanned', (answer) => void found.push(answer)),
  }
  for (const key of ['a', 'b']) cloud.send('scans', s3Notification({ bucket: 'my-uploads', key }))
  await cloud.drain(handlers)
  const answer = eventBridgeEvent(
    { scanId: 'a', clean: true },
    { source: 'my.scanner', detailType: 'Scanned', time: clock.now() },
  )
  cloud.send('found', answer)
  cloud.send('found', answer)
  await cloud.drain(handlers)
  expect(found).toEqual([{ scanId: 'a', clean: true }])
})
