import { randomBytes } from 'node:crypto'
import { recordHandler, TerminalError } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { readEnvelope } from '../../src/library/protocol/record/envelope/readEnvelope.ts'
import { memoryQueueArn } from '../../src/testing/queues/description.ts'
import {
  attributeOf,
  receive,
  type SimulatedMessage,
} from '../../src/testing/queues/simulatedQueue.ts'
import { consumerOf } from './consumerOf.ts'
import { lambdaContext } from './lambdaContext.ts'

const OLD = 262_144

interface Entry {
  readonly Id: string
  readonly MessageBody: string
  readonly MessageAttributes?: Readonly<
    Record<string, { readonly DataType: string; readonly StringValue?: string }>
  >
}

function bytesOf({ MessageBody, MessageAttributes = {} }: Entry): number {
  const attributes = Object.entries(MessageAttributes).flatMap(
    ([name, { DataType, StringValue = '' }]) => [name, DataType, StringValue],
  )
  return [MessageBody, ...attributes].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

/** A consumer whose queues take 256 KiB, and say so as SQS does. @param refuses by which answer */
function place(refuses: 'entry' | 'call', work: () => Promise<void>) {
  const at = consumerOf(() => {})
  const { sqs } = at.options.clients
  const client = {
    async send(command: { readonly input: { readonly Entries?: readonly Entry[] } }) {
      const { Entries = [] } = command.input
      const sizes = Entries.map((entry) => ('MessageBody' in entry ? bytesOf(entry) : 0))
      const sum = sizes.reduce((one, other) => one + other, 0)
      if (sum <= OLD) return sqs.send(command as never)
      if (refuses === 'call' || Entries.length > 1) {
        const message = `Batch requests cannot be longer than ${OLD} bytes. You have sent ${sum} bytes.`
        throw Object.assign(new Error(message), { name: 'BatchRequestTooLong', $fault: 'client' })
      }
      const Message = `One or more parameters are invalid. Reason: Message must be shorter than ${OLD} bytes.`
      return {
        Failed: Entries.map(({ Id }) => ({ Id, Code: 'InvalidParameterValue', Message })),
      }
    },
  }
  const handler = recordHandler(
    { ...at.options, parse: 'text', clients: { sqs: client as never } },
    work,
  )
  const deliver = async (body: string): Promise<void> => {
    const message = at.send(body)
    const record = receive(at.queue, message, at.clock.now(), memoryQueueArn('orders'))
    const { batchItemFailures } = await handler({ Records: [record] }, lambdaContext())
    if (batchItemFailures.length === 0) {
      at.queue.messages = at.queue.messages.filter((each) => each !== message)
    }
  }
  /** The body that its receiver reads. */
  const bodyOf = (message: SimulatedMessage | undefined): string | undefined => {
    if (message === undefined) return undefined
    const record = receive(at.queue, message, message.visibleAt, memoryQueueArn('orders'))
    return readEnvelope(record, { topics: undefined, now: at.clock.now() }).body
  }
  return { ...at, deliver, bodyOf }
}

const BODIES = [
  ['without room for the error', 'x'.repeat(OLD - 700)],
  ['without room for a stamp', 'x'.repeat(OLD - 20)],
] as const

describe.each(['entry', 'call'] as const)('a queue of 256 KiB that refuses the %s', (refuses) => {
  it.each(BODIES)('takes the dead letter of a message %s', async (_, body) => {
    const at = place(refuses, async () => {
      throw new TerminalError(`no ${'stock '.repeat(2_000)}`)
    })
    await at.deliver(body)
    expect([at.queue.messages.length, at.reasons()]).toEqual([0, ['terminal']])
    expect(at.bodyOf(at.dead.messages[0])).toBe(body)
  })

  it.each(BODIES)('takes the copy of a message %s, or the message stays', async (_, body) => {
    const at = place(refuses, () => Promise.reject(new Error('not yet')))
    await at.deliver(body)
    expect(at.dead.messages).toEqual([])
    expect(at.queue.messages).toHaveLength(1)
    expect(at.bodyOf(at.queue.messages[0])).toBe(body)
  })

  it('keeps a message that fits in no form, and says why', async () => {
    const at = place(refuses, () => Promise.reject(new TerminalError('no')))
    const body = randomBytes((OLD * 3) / 4)
      .toString('base64')
      .slice(0, OLD - 10)
    await at.deliver(body)
    expect([at.queue.messages.length, at.dead.messages]).toEqual([1, []])
    expect(JSON.stringify(at.logger.lines)).toContain('cannot be dead-lettered')
    expect(JSON.stringify(at.logger.lines)).toContain(`${OLD} bytes`)
  })
})

it('a message that fits is sent once', async () => {
  const at = place('entry', () => Promise.reject(new TerminalError('no')))
  await at.deliver('x'.repeat(OLD / 2))
  expect(at.dead.messages).toHaveLength(1)
  expect(
    attributeOf(at.dead.messages[0]?.message ?? { body: '', attributes: {} }, 'lineclear'),
  ).toContain('terminal')
})
