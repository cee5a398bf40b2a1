import { eventBridge, s3Events, snsTopic } from 'lineclear'
import { eventBridgeEvent, s3Notification, snsWrapped } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { nativeRedrive } from '../testing/nativeRedrive.ts'
import { busDelivery } from '../record/events/busDelivery.ts'
import { S3_TEST_EVENT } from '../record/events/samples.ts'
import { consumerOf } from './consumerOf.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:events'
const placed = (clock: { now(): number }, options: object = {}) =>
  eventBridgeEvent(
    { orderId: 'o-1' },
    {
      source: 'my.shop',
      detailType: 'OrderPlaced',
      id: 'e-1',
      time: clock.now() - HOUR,
      ...options,
    },
  )

/** A consumer of events that counts each of its runs. @param fails how often it fails before it succeeds */
function consumer(options: Parameters<typeof consumerOf>[1] = {}, fails = 0) {
  const runs: { payload: unknown; id: string; sentAt: number }[] = []
  let left = fails
  const made = consumerOf(
    async (payload, ctx) => {
      runs.push({ payload, id: ctx.uniqueRequestId, sentAt: ctx.sentAt })
      await ctx.write('count', { TableName: 'counts', Key: { id: 'all' }, add: { n: 1 } })
      if (left-- > 0) throw new Error('not now')
    },
    { envelopes: [snsTopic(TOPIC), eventBridge()], ...options },
  )
  const counted = (): unknown => made.store.userItems('counts')[0]?.['n'] ?? 0
  const sendEvent = (event: object) => made.send(JSON.stringify(event))
  const deliverAll = async (): Promise<void> => {
    for (let nth = 0; nth < 20 && made.queue.messages.length > 0; nth++) {
      await made.deliver([...made.queue.messages])
      made.clock.advance(HOUR)
    }
  }
  const redrive = async (): Promise<void> => {
    nativeRedrive(made.dead, made.queue, made.clock.now())
    await deliverAll()
  }
  return { ...made, runs, counted, sendEvent, deliverAll, redrive }
}

describe('an event of a Custom Event Bus', () => {
  it('runs once however often it is delivered, also through a topic, retried, redriven and replayed', async () => {
    const made = consumer({ retry: { maxAttempts: 2 } }, 2)
    const { runs, counted, clock, send, sendEvent, deliverAll, redrive, reasons } = made
    const time = clock.now() - HOUR
    const event = busDelivery({ orderId: 'o-1' }, { 'aws:IngestionTime': new Date(time).toJSON() })
    sendEvent(event)
    sendEvent(event)
    send(snsWrapped(event, { topicArn: TOPIC, timestamp: clock.now() }).body)
    await deliverAll()
    expect(reasons()).toEqual(['exhausted'])
    await redrive()
    const { Data, SystemMetadata } = event
    sendEvent({ Data, SystemMetadata: { ...SystemMetadata, 'aws:DeliveryType': 'REPLAY' } })
    await deliverAll()
    expect(counted()).toBe(1)
    expect(new Set(runs.map((run) => JSON.stringify(run)))).toEqual(
      new Set([JSON.stringify({ payload: { orderId: 'o-1' }, id: 'b-1', sentAt: time })]),
    )
  })

  it('that is older than its token is not run', async () => {
    const { counted, clock, sendEvent, deliverAll, reasons } = consumer()
    const time = new Date(clock.now() - 31 * DAY).toJSON()
    sendEvent(busDelivery({}, { 'aws:IngestionTime': time }))
    await deliverAll()
    expect([counted(), reasons()]).toEqual([0, ['too old']])
  })
})

describe('an event of EventBridge', () => {
  it('runs once when its rule fires twice, also through a topic', async () => {
    const { runs, counted, clock, send, sendEvent, deliverAll } = consumer()
    const event = placed(clock)
    sendEvent(event)
    sendEvent(event)
    send(snsWrapped(event, { topicArn: TOPIC, timestamp: clock.now() }).body)
    send(snsWrapped(event, { topicArn: TOPIC, timestamp: clock.now() }).body)
    await deliverAll()
    expect(counted()).toBe(1)
    expect(runs).toEqual([
      { payload: { orderId: 'o-1' }, id: 'e-1', sentAt: Date.parse(event.time) },
    ])
  })

  it.each([
    ['transparent', 2],
    ['wrapped', 9],
  ] as const)(
    'keeps body, identity and time when it is retried, dead-lettered and redriven: %s',
    async (form, attributes) => {
      const made = consumer({ attributes, retry: { maxAttempts: 3 } }, 4)
      const { runs, counted, clock, sendEvent, deliverAll, dead, redrive, reasons } = made
      const event = placed(clock)
      sendEvent(event)
      await deliverAll()
      expect(reasons()).toEqual(['exhausted'])
      expect(dead.messages[0]?.message.body).toContain(
        form === 'wrapped' ? '"Type":"lineclear"' : JSON.stringify(event),
      )
      await redrive()
      expect(runs).toHaveLength(5)
      expect(new Set(runs.map((run) => JSON.stringify(run))).size).toBe(1)
      expect(runs[0]).toMatchObject({ id: 'e-1', sentAt: Date.parse(event.time) })
      expect(counted()).toBe(1)
      sendEvent(event)
      await deliverAll()
      expect(counted()).toBe(1)
    },
  )

  it('that the schema refuses keeps its identity when it is redriven', async () => {
    let good = false
    const schema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value: unknown) => (good ? { value } : { issues: [{ message: 'no' }] }),
      },
    } as const
    const runs: string[] = []
    const made = consumerOf((_, ctx) => void runs.push(ctx.uniqueRequestId), {
      envelopes: [eventBridge()],
      schema,
    })
    await made.deliver(made.send(JSON.stringify(placed(made.clock))))
    expect(made.reasons()).toEqual(['rejected'])
    good = true
    nativeRedrive(made.dead, made.queue, made.clock.now())
    await made.deliver([...made.queue.messages])
    await made.deliver(made.send(JSON.stringify(placed(made.clock))))
    expect(runs).toEqual(['e-1'])
  })

  it('that the operator redrives under its first SQS message id keeps its identity', async () => {
    const { runs, clock, sendEvent, deliverAll } = consumer()
    const redriven = sendEvent(placed(clock))
    const carried = {
      resendNumber: 0,
      hops: 0,
      messageId: '0b3f2f0e-0000-4000-8000-000000000001',
      death: 1,
    }
    const lineclear = { DataType: 'String', StringValue: JSON.stringify(carried) }
    Object.assign(redriven, { message: { ...redriven.message, attributes: { lineclear } } })
    sendEvent(placed(clock))
    await deliverAll()
    expect(runs.map(({ id }) => id)).toEqual(['e-1'])
  })

  it('is a conflict when another event comes under its id', async () => {
    const { counted, clock, sendEvent, deliverAll, reasons } = consumer()
    sendEvent(placed(clock))
    await deliverAll()
    sendEvent({ ...placed(clock), detail: { orderId: 'o-2' } })
    await deliverAll()
    expect(counted()).toBe(1)
    expect(reasons()).toEqual(['conflict'])
  })

  it('with a number that a parser rounds is not taken for another one, by id(payload) or its own id', async () => {
    const id = (payload: unknown) => `order-${(payload as { n: number }).n}`
    const { runs, clock, send, deliverAll, reasons } = consumer({ id })
    const body = (n: string, own: string) =>
      JSON.stringify({ ...placed(clock, { id: own }), detail: { n: 0 } }).replace(
        '"n":0',
        `"n":${n}`,
      )
    send(body('9007199254740992', 'e-1'))
    send(body('9007199254740993', 'e-2'))
    await deliverAll()
    expect(runs.map((run) => run.id)).toEqual(['order-9007199254740992'])
    expect(reasons()).toEqual(['rejected'])
    const plain = consumer()
    plain.send(body('9007199254740992', 'e-3'))
    plain.send(body('9007199254740993', 'e-3'))
    await plain.deliverAll()
    expect([plain.counted(), plain.reasons()]).toEqual([1, ['conflict']])
  })

  it('has the identity that id(payload) gives', async () => {
    const id = (payload: unknown): string => (payload as { orderId: string }).orderId
    const { runs, clock, sendEvent, deliverAll } = consumer({ id })
    sendEvent(placed(clock))
    sendEvent(placed(clock, { id: 'e-2' }))
    await deliverAll()
    expect(runs).toMatchObject([{ id: 'o-1' }])
  })

  it('that happened after the queue took it happened when the queue took it', async () => {
    const { runs, clock, sendEvent, deliverAll } = consumer()
    const now = clock.now()
    sendEvent(placed(clock, { time: now + DAY }))
    await deliverAll()
    expect(runs).toMatchObject([{ sentAt: now }])
  })

  it('with a time of its own that is long ago is not too old', async () => {
    const { runs, clock, sendEvent, deliverAll } = consumer()
    sendEvent(placed(clock, { time: clock.now() - 400 * DAY }))
    await deliverAll()
    expect(runs).toHaveLength(1)
  })

  it('of another account is payload, and the log says so once', async () => {
    const { runs, clock, sendEvent, deliverAll, logger } = consumer()
    for (const id of ['e-1', 'e-2']) sendEvent(placed(clock, { id, account: '999999999999' }))
    await deliverAll()
    expect(runs.map(({ id }) => id)).not.toContain('e-1')
    expect(runs).toMatchObject([{ payload: { id: 'e-1' } }, { payload: { id: 'e-2' } }])
    const warnings = logger.lines.filter(({ level }) => level === 'warn')
    expect(warnings).toMatchObject([{ because: expect.stringContaining('999999999999') as string }])
  })
})

describe('a replay', () => {
  it('runs what was lost, and nothing twice', async () => {
    const { runs, counted, clock, sendEvent, deliverAll } = consumer()
    const taken = placed(clock)
    sendEvent(taken)
    await deliverAll()
    sendEvent({ ...taken, 'replay-name': 'mend' })
    sendEvent({ ...placed(clock, { id: 'e-lost' }), 'replay-name': 'mend' })
    await deliverAll()
    expect(counted()).toBe(2)
    expect(runs.map(({ id }) => id)).toEqual(['e-1', 'e-lost'])
  })

  it('of events whose tokens are gone is dead-lettered as too old, and runs with replays: again', async () => {
    const once = consumer()
    once.sendEvent(placed(once.clock, { time: once.clock.now() - 31 * DAY, replayName: 'mend' }))
    await once.deliverAll()
    expect([once.runs, once.reasons()]).toEqual([[], ['too old']])
    const again = consumer({ envelopes: [eventBridge({ replays: 'again' })] })
    again.sendEvent(placed(again.clock, { time: again.clock.now() - 31 * DAY }))
    again.sendEvent(placed(again.clock, { time: again.clock.now() - 31 * DAY, replayName: 'mend' }))
    await again.deliverAll()
    expect(again.counted()).toBe(2)
  })
})

describe('a notification of S3', () => {
  const uploads = s3Events({ buckets: ['my-uploads', 'bucketname'] })
  const upload = (key: string, changes: object = {}) =>
    s3Notification({ bucket: 'my-uploads', key, sequencer: '0A', ...changes })
  const ofS3 = (fails = 0) =>
    consumer({ envelopes: [snsTopic(TOPIC), uploads, eventBridge()] }, fails)

  it('runs once when S3 sends it twice, also through a topic', async () => {
    const { runs, counted, clock, send, sendEvent, deliverAll } = ofS3()
    const event = upload('a b', { eventTime: clock.now() - HOUR })
    for (let nth = 0; nth < 2; nth++) {
      sendEvent(event)
      send(snsWrapped(event, { topicArn: TOPIC, timestamp: clock.now() }).body)
    }
    await deliverAll()
    expect(counted()).toBe(1)
    expect(runs).toMatchObject([{ payload: { bucket: 'my-uploads', key: 'a b' } }])
  })

  it('with several events is dead-lettered as it came, and none of them is run', async () => {
    const { runs, sendEvent, deliverAll, reasons, dead } = ofS3()
    const event = { Records: ['a', 'b'].flatMap((key) => upload(key).Records) }
    sendEvent(event)
    await deliverAll()
    expect([runs, reasons()]).toEqual([[], ['rejected']])
    expect(dead.messages[0]?.message.body).toBe(JSON.stringify(event))
  })

  it('the test event is acknowledged without a run', async () => {
    const { runs, settled, queue, store, send, deliverAll, logger } = ofS3()
    send(S3_TEST_EVENT)
    await deliverAll()
    expect([runs, queue.messages, settled, store.items()]).toEqual([
      [],
      [],
      [{ kind: 'accepted' }],
      [],
    ])
    expect(logger.lines).toMatchObject([{ level: 'info', message: 'accepted' }])
  })

  it('in a version that is not known is dead-lettered with the reason', async () => {
    const { runs, dead, send, deliverAll, reasons } = ofS3()
    const body = JSON.stringify(upload('a')).replace('"2.6"', '"3.0"')
    send(body)
    await deliverAll()
    expect([runs, reasons()]).toEqual([[], ['rejected']])
    expect(dead.messages[0]?.message.body).toBe(body)
  })

  it('of another bucket may be an event for another format', async () => {
    const { runs, clock, sendEvent, deliverAll } = ofS3()
    const detail = { bucket: { name: 'others' }, object: { key: 'k' } }
    sendEvent({ ...placed(clock), source: 'aws.s3', detail })
    await deliverAll()
    expect(runs).toMatchObject([{ id: 'e-1', payload: detail }])
  })
})

describe('what an option has left unopened says so in its dead letter, which the schema cannot', () => {
  const seven = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `bucket-${name}`)
  const ofOthers = s3Notification({ bucket: 'others', key: 'a' })
  const shop = eventBridge({ sources: ['my.shop'] })
  const SHOP = { source: 'your.shop', detailType: 'x' }
  it.each([
    [
      'a notification of another bucket',
      { envelopes: [s3Events({ buckets: seven })] },
      JSON.stringify(ofOthers),
      'a notification of S3 from the bucket others, and s3Events() names bucket-a, bucket-b, bucket-c, bucket-d, bucket-e and 2 more',
    ],
    [
      'an event of another source',
      { envelopes: [shop] },
      JSON.stringify(eventBridgeEvent({}, SHOP)),
      'an event of EventBridge from the source your.shop in the account 123456789012, and eventBridge() opens sources: my.shop; accounts: 123456789012',
    ],
  ])('%s', async (_what, options, body, text) => {
    const { schema } = s3Events({ buckets: seven })
    const { send, deliver, reasons, logger } = consumerOf(() => {}, { ...options, schema })
    expect(await deliver(send(body))).toBe(false)
    expect(reasons()).toEqual(['rejected'])
    const [error] = logger.lines.map((line) => line['error']).filter(Boolean)
    expect(error).toContain('no notification of S3 from a bucket that s3Events() names')
    expect(error).toContain(`It looks like ${text}`)
  })
})
