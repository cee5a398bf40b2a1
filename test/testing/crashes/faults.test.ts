import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { PublishBatchCommand } from '@aws-sdk/client-sns'
import type { SQSEvent } from 'aws-lambda'
import { ConfigError, recordHandler, TerminalError } from 'lineclear'
import { type CrashCloud, type CrashOptions, exploreCrashes } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { isProof } from '../../proof/depth.ts'
import { consumerOf, Key, ORDER, type Order, SOUND, summing, type Work } from './consumerOf.ts'

const row = { TableName: 't', Key } as const
const THREE = { batch: 3, also: [{ orderId: 'o2' }, { orderId: 'o3' }], together: 1 } as const

const ownRow: Work = ({ orderId }, ctx) =>
  ctx.write('done', { TableName: 't', Key: { id: orderId }, put: { done: true } })

describe('a message that kills each sandbox that runs it', () => {
  const only = ['killed each time'] as const

  it('goes to the dead letters alone, and those of its batch are done: sound', async () => {
    const report = await exploreCrashes(consumerOf(ownRow), ORDER, { ...THREE, only })
    expect(report.text).toMatch('nothing lost')
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })

  it('is done once it is redriven, when it no longer kills: sound', async () => {
    const options = { ...THREE, only, redrive: true } as const
    const report = await exploreCrashes(consumerOf(ownRow), ORDER, options)
    expect(report.text).toMatch('nothing lost')
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })

  it('takes others with it where a whole batch is dropped: lost', async () => {
    const wrong =
      ({ clients, queueUrl, outside }: CrashCloud) =>
      async (event: SQSEvent) => {
        for (const record of event.Records) {
          const { body, attributes } = record
          const entry = { QueueUrl: queueUrl('dead-letters'), MessageBody: body }
          if (Number(attributes.ApproximateReceiveCount) > 2)
            await clients.sqs.send(new SendMessageCommand(entry))
          else await outside('charge', { idempotencyKey: (JSON.parse(body) as Order).orderId })
        }
      }
    const report = await exploreCrashes(wrong, ORDER, { ...THREE, only })
    expect(report.finding?.anomaly).toBe('lost')
    expect(report.finding?.what).toMatch(
      /^3 messages were dead-lettered, but only 1 of them kill their invocation/,
    )
  })

  it('never comes to rest without a consumer that gives up, and the trace of it is short', async () => {
    const wrong =
      ({ outside }: CrashCloud) =>
      async () => {
        await outside('charge', { idempotencyKey: 'o1' })
      }
    const report = await exploreCrashes(wrong, ORDER, { together: 1, only })
    expect(report.finding).toEqual({ anomaly: 'stuck', what: 'it never came to rest' })
    expect(report.trace.length).toBeLessThan(70)
    expect(report.text).toMatch(/… \d+ more steps …/)
  })
})

describe('a table of yours that is throttled for hours', () => {
  const only = ['table throttled'] as const

  it('dead-letters nothing, in a batch as alone: sound', async () => {
    const options = { ...THREE, only, limit: 100 } as const
    expect(await exploreCrashes(consumerOf(ownRow), ORDER, options)).toMatchObject(SOUND)
    const alone = await exploreCrashes(consumerOf(summing), ORDER, { only, together: 1 })
    expect(alone).toMatchObject({ ...SOUND, complete: true })
  })

  it('is no reason to give a message up: lost', async () => {
    const impatient =
      ({ store, outside }: CrashCloud) =>
      async ({ Records: [record] }: SQSEvent) => {
        if (Number(record?.attributes.ApproximateReceiveCount) > 5) return
        await store.readUser(row)
        await outside('charge', { idempotencyKey: 'o1' })
      }
    const report = await exploreCrashes(impatient, ORDER, { together: 1, only })
    expect(report.finding?.what).toBe("call 'charge': 0 times, 1 without faults")
    expect(report.trace.join('\n')).toMatch(/ reads t: table throttled/)
  })

  it('answers again in the end: a handler that retries is sound', async () => {
    const patient =
      ({ store, outside }: CrashCloud) =>
      async () => {
        await store.readUser(row)
        await outside('charge', { idempotencyKey: 'o1' })
      }
    const report = await exploreCrashes(patient, ORDER, { together: 1, only })
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })
})

/** What was sent twice is charged once, as long as the mark is seen. */
const marking =
  (consistent: boolean) =>
  ({ store, outside }: CrashCloud) =>
  async (): Promise<void> => {
    const key = { pk: 'order', sk: 'mark' }
    const [read] = await store.read([key], { consistent })
    if (read?.kind === 'found' && read.item?.['state'] === 'done') return
    await store.create([{ ...key, state: 'begun' }])
    await outside('charge')
    await store.update([{ key, where: [], set: { state: 'done' } }])
  }

describe('a read that is behind', () => {
  it.each(['stale', 'a second behind'] as const)('%s: doubled', async (fault) => {
    const options = { also: [ORDER], together: 1, only: [fault] } as const
    const { trace, finding } = await exploreCrashes(marking(false), ORDER, options)
    expect(finding?.what).toBe("call 'charge': 2 times, 1 without faults")
    expect(trace).toContain(`B reads order: ${fault}`)
  })

  it('is none where it is consistent', async () => {
    const only = ['stale', 'a second behind'] as const
    const options = { also: [ORDER], together: 1, only } as const
    const report = await exploreCrashes(marking(true), ORDER, options)
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })
})

describe('a write that meets a transaction on the same item', () => {
  const only = ['conflict'] as const

  it('is made once in the end: sound', async () => {
    const options = { together: 1, only, faults: 2 } as const
    expect(await exploreCrashes(consumerOf(summing), ORDER, options)).toMatchObject({
      ...SOUND,
      complete: true,
    })
  })

  it('was not applied: a handler that takes it for a refused condition loses its work', async () => {
    const wrong =
      ({ store, outside }: CrashCloud) =>
      async () => {
        const [taken] = await store.create([{ pk: 'order', sk: 'done' }])
        if (taken?.kind === 'applied') await outside('charge', { idempotencyKey: 'o1' })
      }
    const { finding, trace } = await exploreCrashes(wrong, ORDER, { together: 1, only })
    expect(finding?.what).toBe("call 'charge': 0 times, 1 without faults")
    expect(trace).toContain('A writes order: conflict')
  })
})

it('work that continues after its invocation has answered is found', async () => {
  const wrong = consumerOf((_, ctx, { clients, queueUrl, outside }) => {
    const MessageBody = JSON.stringify({ attempt: ctx.attempt })
    void outside('charge', { idempotencyKey: 'o1' })
      .then(() =>
        clients.sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('paid'), MessageBody })),
      )
      .catch(() => {})
  })
  const report = await exploreCrashes(wrong, ORDER, { together: 1 })
  expect(report.finding?.anomaly).toBe('lost')
})

describe('dead letters that are redriven', () => {
  const paid: Work = (order, ctx, { queueUrl }) => ctx.send(queueUrl('paid'), order)
  const broken: Work = () => {
    throw new Error('a bad deployment')
  }
  const options: CrashOptions = {
    together: 1,
    only: isProof ? ['answer lost', 'killed on the wire'] : ['killed on the wire'],
  }

  it('to a deployment that is right have their effects once: sound', async () => {
    const report = await exploreCrashes(consumerOf(broken), ORDER, {
      ...options,
      redrive: consumerOf(paid),
    })
    expect(report.text).toMatch('nothing lost')
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })

  it('have none of those again that they had before: sound', async () => {
    const half: Work = async (order, ctx, cloud) => {
      await summing(order, ctx, cloud)
      await ctx.send(cloud.queueUrl('paid'), order)
      throw new Error('a bad deployment')
    }
    const whole: Work = async (order, ctx, cloud) => {
      await summing(order, ctx, cloud)
      await paid(order, ctx, cloud)
    }
    const report = await exploreCrashes(consumerOf(half), ORDER, {
      ...options,
      redrive: consumerOf(whole),
    })
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })

  it('have them twice where the effect is named otherwise by then: doubled', async () => {
    const named =
      (name: string, then?: Error): Work =>
      async (_, ctx) => {
        await ctx.write(name, { ...row, add: { n: 1 } })
        if (then !== undefined) throw then
      }
    const report = await exploreCrashes(consumerOf(named('sum', new Error('bad'))), ORDER, {
      together: 1,
      redrive: consumerOf(named('the sum')),
    })
    expect(report.finding).toMatchObject({ anomaly: 'doubled' })
    expect(report.trace.join('\n')).toMatch('1 dead letters are redriven')
  })

  it('count as no loss only until they are redriven: an effect still missing then is lost', async () => {
    const forgetful: Work = async (order, ctx, cloud) => {
      if (ctx.attempt === 1) await paid(order, ctx, cloud)
    }
    const report = await exploreCrashes(consumerOf(broken), ORDER, {
      ...options,
      redrive: consumerOf(forgetful),
    })
    expect(report.finding?.what).toBe('message to paid: 0 times, 1 without faults')
  })

  it('are asked for with true, or with the handlers that take them', async () => {
    const made = exploreCrashes(consumerOf(paid), ORDER, { redrive: 'yes' as never })
    await expect(made).rejects.toThrow(
      'exploreCrashes: redrive: expected true, false or a function (cloud) => handler; got "yes"',
    )
  })
})

describe('what AWS would refuse is refused', () => {
  const text = (bytes: number): string => 'x'.repeat(bytes)
  const entries = (count: number, body: string) =>
    Array.from({ length: count }, (_, at) => ({ Id: `${at}`, MessageBody: body }))
  const REFUSED: readonly (readonly [string, RegExp, (cloud: CrashCloud) => Promise<unknown>])[] = [
    [
      'a batch of eleven',
      /TooManyEntriesInBatchRequest/,
      ({ clients, queueUrl }) =>
        clients.sqs.send(
          new SendMessageBatchCommand({ QueueUrl: queueUrl('q'), Entries: entries(11, 'x') }),
        ),
    ],
    [
      'a batch over 1 MiB',
      /BatchRequestTooLong/,
      ({ clients, queueUrl }) =>
        clients.sqs.send(
          new SendMessageBatchCommand({
            QueueUrl: queueUrl('q'),
            Entries: entries(2, text(600_000)),
          }),
        ),
    ],
    [
      'a batch for a topic over 256 KiB',
      /BatchRequestTooLong/,
      ({ clients, topicArn }) =>
        clients.sns.send(
          new PublishBatchCommand({
            TopicArn: topicArn('t'),
            PublishBatchRequestEntries: ['a', 'b', 'c'].map((Id) => ({
              Id,
              Message: text(100_000),
            })),
          }),
        ),
    ],
    [
      'a message over 1 MiB',
      /InvalidParameterValue/,
      ({ clients, queueUrl }) =>
        clients.sqs.send(
          new SendMessageCommand({ QueueUrl: queueUrl('q'), MessageBody: text(1_048_577) }),
        ),
    ],
    [
      'a message without a body',
      /MissingParameter/,
      ({ clients, queueUrl }) =>
        clients.sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('q'), MessageBody: '' })),
    ],
    [
      'a delay of more than 15 minutes',
      /DelaySeconds: 901 of 900/,
      ({ clients, queueUrl }) =>
        clients.sqs.send(
          new SendMessageCommand({
            QueueUrl: queueUrl('q'),
            MessageBody: 'x',
            DelaySeconds: 901,
          }),
        ),
    ],
    [
      'a deduplication id for a standard queue',
      /MessageDeduplicationId is for FIFO queues/,
      ({ clients, queueUrl }) =>
        clients.sqs.send(
          new SendMessageCommand({
            QueueUrl: queueUrl('q'),
            MessageBody: 'x',
            MessageDeduplicationId: 'x',
          }),
        ),
    ],
    [
      'a group with a space in its name',
      /MessageGroupId: 1 to 128/,
      ({ clients, queueUrl }) =>
        clients.sqs.send(
          new SendMessageCommand({
            QueueUrl: queueUrl('q.fifo'),
            MessageBody: 'x',
            MessageGroupId: 'a b',
          }),
        ),
    ],
    [
      'eleven attributes',
      /11 attributes of 10/,
      ({ clients, queueUrl }) =>
        clients.sqs.send(
          new SendMessageCommand({
            QueueUrl: queueUrl('q'),
            MessageBody: 'x',
            MessageAttributes: Object.fromEntries(
              Array.from({ length: 11 }, (_, at) => [
                `a${at}`,
                { DataType: 'String', StringValue: 'x' },
              ]),
            ),
          }),
        ),
    ],
  ]
  it.each(REFUSED)('%s', async (_, what, send) => {
    const refusals: string[] = []
    const build = (cloud: CrashCloud) => async () => {
      await send(cloud).catch((error: Error) => refusals.push(`${error.name}: ${error.message}`))
      await cloud.outside('asked', { idempotencyKey: 'o1' })
    }
    await exploreCrashes(build, ORDER, { faults: 0, together: 1 })
    expect(refusals[0]).toMatch(what)
  })

  it('by itself, where the others of its batch are taken', async () => {
    const answers: unknown[] = []
    const build =
      ({ clients, queueUrl }: CrashCloud) =>
      async () => {
        const [one, two] = entries(2, 'x')
        const Entries = [
          { ...one, Id: '0', MessageBody: 'x', DelaySeconds: -1 },
          { ...two, Id: '1', MessageBody: 'x' },
        ]
        answers.push(
          await clients.sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl('q'), Entries })),
        )
      }
    await exploreCrashes(build, ORDER, { faults: 0, together: 1 })
    expect(answers[0]).toMatchObject({
      Successful: [{ Id: '1' }],
      Failed: [{ Id: '0', SenderFault: true, Code: 'InvalidParameterValue' }],
    })
  })
})

it('a FIFO group is locked while any of its messages is invisible', async () => {
  const received: string[] = []
  const build =
    ({ clients, outside }: CrashCloud) =>
    async ({ Records }: SQSEvent) => {
      await outside('received', { idempotencyKey: 'all' })
      received.push(
        `${new Date().toISOString().slice(11, 19)} ${Records.map(({ messageId }) => messageId).join()}`,
      )
      if (received.length > 1) return undefined
      const { ChangeMessageVisibilityCommand } = await import('@aws-sdk/client-sqs')
      const [first, second] = Records
      for (const [at, seconds] of [
        [first, 0],
        [second, 60],
      ] as const)
        await clients.sqs.send(
          new ChangeMessageVisibilityCommand({
            QueueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders.fifo',
            ReceiptHandle: at?.receiptHandle ?? '',
            VisibilityTimeout: seconds,
          }),
        )
      return {
        batchItemFailures: [first, second].map((each) => ({ itemIdentifier: each?.messageId })),
      }
    }
  const options = { also: [{ orderId: 'o2' }], batch: 2, together: 1, faults: 0 } as const
  await exploreCrashes((cloud) => ({ 'orders.fifo': build(cloud) }), ORDER, options)
  expect(received.slice(0, 2)).toEqual(['00:00:00 m1,m2', '00:01:00 m1,m2'])
})

describe('what never completes', () => {
  const broken = ({ store, clients, clock, logger }: CrashCloud) =>
    recordHandler({ name: 'orders', store, clients, clock, logger }, async (_, ctx) => {
      await ctx.write('n', { TableName: 't', Key: { id: 'all' }, add: { n: 1 } })
      throw Object.assign(new Error('the payload is wrong'), { code: 'TERMINAL' })
    })
  const options: CrashOptions = { together: 1, faults: 0 }
  const WHY = 'terminal: Error: the payload is wrong'

  it('is refused with its reason, and with what to do', async () => {
    const made = exploreCrashes(broken, ORDER, options)
    await expect(made).rejects.toThrow(ConfigError)
    await expect(made).rejects.toThrow(
      `exploreCrashes: even without faults the record does not complete: m1 becomes a dead letter (${WHY})`,
    )
    await expect(made).rejects.toThrow(`If it has to end so, say it: expectedFailures: ["${WHY}"]`)
  })

  it.each([[['terminal']], [[WHY]]])('may be named by %j', async (expectedFailures) => {
    const report = await exploreCrashes(broken, ORDER, { ...options, expectedFailures })
    expect(report).toMatchObject(SOUND)
  })

  it('is refused when another end is named', async () => {
    const other = exploreCrashes(broken, ORDER, { ...options, expectedFailures: ['rejected'] })
    await expect(other).rejects.toThrow('does not complete')
    const two = { ...options, expectedFailures: ['terminal', 'rejected'] }
    await expect(exploreCrashes(broken, ORDER, two)).rejects.toThrow(
      `without faults nothing ends with "rejected"; there are: ${WHY}`,
    )
  })

  it('is not named where every message completes', async () => {
    const made = exploreCrashes(consumerOf(summing), ORDER, {
      ...options,
      expectedFailures: ['exhausted'],
    })
    await expect(made).rejects.toThrow('nothing ends with "exhausted"; every message completes')
  })

  it('is refused of a function, whose caller gets the error', async () => {
    const paying = (cloud: CrashCloud) => async () => {
      await cloud.outside('charge', { idempotencyKey: 'o1' })
      throw new TerminalError('the card is stolen')
    }
    const called: CrashOptions = { ...options, as: 'function' }
    await expect(exploreCrashes(paying, ORDER, called)).rejects.toThrow(
      'its caller gets an error (TerminalError: the card is stolen)',
    )
    const named = { ...called, expectedFailures: ['TerminalError: the card'] }
    expect(await exploreCrashes(paying, ORDER, named)).toMatchObject(SOUND)
  })

  it('is refused of an event that Lambda gives up', async () => {
    const failing = (cloud: CrashCloud) => async () => {
      await cloud.outside('charge', { idempotencyKey: 'o1' })
      throw new Error('down')
    }
    await expect(exploreCrashes(failing, ORDER, { ...options, as: 'invocation' })).rejects.toThrow(
      'no attempt ends (Lambda gives the event up',
    )
  })

  it('and what leaves nothing to compare is refused, too', async () => {
    const idle = () => async () => {}
    await expect(exploreCrashes(idle, ORDER, options)).rejects.toThrow(
      'leaves no row, message, statement or outside call',
    )
  })

  it('a death that was meant is an effect: without its dead letter it is lost', async () => {
    let attempts = 0
    const forgetting = consumerOf(async (order, ctx, cloud) => {
      await summing(order, ctx, cloud)
      attempts += 1
      if (attempts === 1) throw new TerminalError('refused')
    })
    const report = await exploreCrashes(forgetting, ORDER, {
      ...options,
      expectedFailures: ['terminal'],
    })
    expect(report.finding).toEqual({
      anomaly: 'lost',
      what: 'the dead letter of m1 (terminal: TerminalError: refused)',
    })
  })

  it('by a fault is counted', async () => {
    const impatient = (cloud: CrashCloud) =>
      recordHandler(
        {
          name: 'orders',
          store: cloud.store,
          clients: cloud.clients,
          clock: cloud.clock,
          logger: cloud.logger,
          retry: { maxAttempts: 1 },
        },
        async (_, ctx) => {
          await ctx.call('charge', (key) => cloud.outside('charge', key))
        },
      )
    const report = await exploreCrashes(impatient, ORDER, {
      together: 1,
      only: ['request lost'],
    })
    expect(report).toMatchObject(SOUND)
    expect(report.excused).toBeGreaterThan(0)
    expect(report.text).toContain(`; ${report.excused} ended with a dead letter`)
  })
})
