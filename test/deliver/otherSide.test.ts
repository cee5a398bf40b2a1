import type { Context } from 'aws-lambda'
import { type Logger, newerThan, recordHandler, snsTopic } from 'lineclear'
import { sqsEvent, sqsRecord } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { attributeOf } from '../../src/testing/queues/simulatedQueue.ts'
import { consumerOf } from './consumerOf.ts'
import { lambdaContext } from './lambdaContext.ts'

const ACCOUNT = '123456789012'
const arnOf = (queue: string): string => `arn:aws:sqs:eu-west-1:${ACCOUNT}:${queue}`
const urlOf = (queue: string): string => `https://sqs.eu-west-1.amazonaws.com/${ACCOUNT}/${queue}`
const TOPIC = `arn:aws:sns:eu-west-1:${ACCOUNT}:orders`

describe('the option queueUrl of a function with two mappings', () => {
  it.each([
    ['orders', urlOf('orders')],
    ['more', arnOf('more')],
    ['more-orders', arnOf('more-orders')],
  ])('is not taken for the queue of another record: %s', async (queue, expected) => {
    const sent: unknown[] = []
    const { options } = consumerOf(() => {})
    const messenger = async (command: { readonly input: object }): Promise<unknown> => {
      sent.push(command.input)
      return { Successful: [{ Id: '0' }] }
    }
    const handler = recordHandler(
      { ...options, queueUrl: urlOf('orders'), clients: { sqs: { send: messenger } as never } },
      () => Promise.reject(new Error('not yet')),
    )
    const record = sqsRecord({}, { queueArn: arnOf(queue), sentAt: options.clock.now() })
    await handler(sqsEvent(record), lambdaContext())
    const [copy] = sent
    const url = expected.startsWith('https') ? expected : urlOf(queue)
    expect(copy).toMatchObject({ QueueUrl: url, Entries: [{}] })
  })
})

describe('what SNS sends beside messages', () => {
  it.each(['SubscriptionConfirmation', 'UnsubscribeConfirmation'])(
    '%s is no order: it is dead-lettered with what to do',
    async (Type) => {
      let runs = 0
      const at = consumerOf(() => void (runs += 1), { envelopes: [snsTopic(TOPIC)] })
      const body = { Type, MessageId: 'm-1', TopicArn: TOPIC, Token: 't', Message: 'You …' }
      const more = { SubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?t', SignatureVersion: '1' }
      await at.deliver(at.send(JSON.stringify({ ...body, ...more })))
      expect([runs, at.reasons()]).toEqual([0, ['rejected']])
      const [letter] = at.dead.messages
      expect(letter && attributeOf(letter.message, 'lineclear')).toMatch(/SubscribeURL/)
      expect(letter?.message.body).toContain('SubscribeURL')
    },
  )

  it('of a topic that is not named is payload, and the log says so', async () => {
    let runs = 0
    const at = consumerOf(() => void (runs += 1), { envelopes: [snsTopic(`${TOPIC}2`)] })
    await at.deliver(at.send(JSON.stringify({ Type: 'SubscriptionConfirmation', TopicArn: TOPIC })))
    expect(runs).toBe(1)
    expect(JSON.stringify(at.logger.lines)).toContain('looks like an SNS notification')
  })
})

describe('a payload that is null', () => {
  it.each([
    ['id', { id: (payload: never) => (payload as { id: string }).id }],
    ['sentAt', { sentAt: (payload: never) => (payload as { at: number }).at }],
  ])('is refused at once when %s(payload) fails', async (name, options) => {
    const at = consumerOf(() => {}, options as object)
    await at.deliver(at.send('null'))
    expect(at.reasons()).toEqual(['rejected'])
    const [letter] = at.dead.messages
    expect(letter && attributeOf(letter.message, 'lineclear')).toContain('the payload is null')
    expect(name).toBeDefined()
  })

  it('runs where nothing asks for more', async () => {
    const payloads: unknown[] = []
    const at = consumerOf((payload) => void payloads.push(payload))
    await at.deliver(at.send('null'))
    expect(payloads).toEqual([null])
  })
})

it('records without { Records } come from EventBridge Pipes, and the error says what to do', async () => {
  const { options } = consumerOf(() => {})
  const handler = recordHandler(options, () => {})
  const { Records } = sqsEvent({ a: 1 })
  await expect(handler(Records as never, {} as Context)).rejects.toThrow(
    /EventBridge Pipes.*handler\(\{ Records: event \}, context\)/,
  )
})

it('a consumer on the dead-letter queue of another is not told to take its name', async () => {
  const at = consumerOf(() => Promise.reject(Object.assign(new Error('no'), { code: 'TERMINAL' })))
  await at.deliver(at.send('{}'))
  const [letter] = at.dead.messages
  if (letter === undefined) throw new Error('no dead letter')
  const stamp = { lineclear: attributeOf(letter.message, 'lineclear') ?? '' }
  const alerts = recordHandler({ ...at.options, name: 'alerts' }, () => {})
  const errorOn = async (queueArn: string): Promise<string> => {
    at.dead.messages = []
    const given = { attributes: stamp, queueArn, sentAt: at.clock.now() }
    await alerts(sqsEvent(sqsRecord('{}', given)), lambdaContext())
    const [second] = at.dead.messages
    return (second && attributeOf(second.message, 'lineclear')) ?? ''
  }
  const source = (JSON.parse(stamp.lineclear) as { source: string }).source
  expect(await errorOn(arnOf('dead'))).not.toContain('formerNames')
  expect(await errorOn(arnOf('dead'))).toContain(`dead letter of ${source}`)
  expect(await errorOn(source)).toContain('formerNames')
})

it.each([
  [Math.floor(Date.now() / 1_000), ['terminal']],
  [1_577_836_800, ['terminal']],
  [1_577_836_800_000, []],
  [5, []],
])('newerThan takes no seconds: %d', async (at, expected) => {
  const given = consumerOf((_payload, ctx) =>
    ctx
      .write('row', {
        TableName: 'rows',
        Key: { id: 'a' },
        set: { a: 1 },
        guard: newerThan('at', at),
      })
      .then(() => {}),
  )
  await given.deliver(given.send('{}'))
  expect(given.reasons()).toEqual(expected)
})

describe('a logger that takes its fields first', () => {
  it.each(['bindings', 'addSerializers'])('gets them so: one with %s', async (sign) => {
    const lines: unknown[][] = []
    const log = function (this: unknown, ...given: unknown[]): void {
      expect(this).toBe(logger)
      lines.push(given)
    }
    const logger = { debug: log, info: log, warn: log, error: log, [sign]: () => ({}) } as Logger
    const at = consumerOf(
      (_payload, ctx) => {
        ctx.logger.info('mine', { of: 'a' }, { and: 'b' })
        throw Object.assign(new Error('declined'), { code: 'TERMINAL' })
      },
      { logger },
    )
    await at.deliver(at.send('{}'))
    expect(lines).toContainEqual([
      expect.objectContaining({ consumer: 'orders', of: 'a', and: 'b' }),
      'mine',
    ])
    const [, end] = lines.filter(([fields]) => JSON.stringify(fields).includes('declined'))
    expect(end ?? lines.at(-1)).toEqual([expect.any(Object), expect.any(String)])
    expect(lines.every(([fields]) => typeof fields === 'object')).toBe(true)
  })
})
