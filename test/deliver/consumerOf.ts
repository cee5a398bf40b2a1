import { documented } from '../proof/formats/page.ts'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { SQSRecord } from 'aws-lambda'
import {
  type RecordContext,
  recordHandler,
  type RecordHandlerOptions,
  type Settlement,
  type HandlerResult,
} from 'lineclear'
import { fakeClock, memoryStore } from 'lineclear/testing'
import type { SqsHandler } from '../../src/library/entries/consumer/recordHandler.ts'
import {
  buildMessage,
  type OutgoingMessage,
} from '../../src/library/protocol/record/envelope/buildMessage.ts'
import { memoryQueueArn } from '../../src/testing/queues/description.ts'
import {
  attributeOf,
  type SimulatedMessage,
  put,
  receive,
} from '../../src/testing/queues/simulatedQueue.ts'
import { openQueueDouble } from '../proof/random/queueDouble.ts'
import { lambdaContext } from './lambdaContext.ts'
import { quietLogger } from './quietLogger.ts'

interface Given extends Partial<Omit<RecordHandlerOptions, 'schema'>> {
  readonly schema?: StandardSchemaV1 | undefined
  readonly queue?: string
  /** How many user attributes each message has, by default none. Copies of one with nine are wrapped. */
  readonly attributes?: number
  /** Remaining time of the invocation, milliseconds. */
  readonly left?: number
  /** Just before each call to the queue. */
  readonly onCall?: () => void
  /** Calls to the queue get no answer. */
  readonly hangs?: (signal: AbortSignal | undefined) => void
}

/** One consumer of a queue, whose messages are handed out by the test. */
export function consumerOf(
  work: (payload: unknown, ctx: RecordContext) => HandlerResult,
  { queue: name = 'orders', attributes: count = 0, left, onCall, hangs, ...options }: Given = {},
) {
  const fifo = name.endsWith('.fifo') ? '.fifo' : ''
  const [clock, store, logger] = [fakeClock(), documented(memoryStore()), quietLogger()]
  const settled: Settlement[] = []
  const queueDouble = openQueueDouble(() => clock.now())
  const queue = queueDouble.queue(name)
  const dead = queueDouble.queue(`dead-letters${fifo}`)
  const call: typeof queueDouble.client.send = (
    command: Parameters<SQSClient['send']>[0],
    given?: object,
  ) => {
    onCall?.()
    if (hangs !== undefined && command.constructor.name === 'SendMessageBatchCommand') {
      hangs(signalIn(given))
      return new Promise<never>(() => {})
    }
    return queueDouble.client.send(command)
  }
  const sqs = { send: call } as SQSClient
  const onSettled = (settlement: Settlement): void => void settled.push(settlement)
  const common = { name: 'orders', store, clock, logger, clients: { sqs }, onSettled }
  const handler = recordHandler({ ...common, ...options }, work)

  const send = (body: string): SimulatedMessage =>
    put(queue, { body, attributes: userAttributes(count), groupId: 'g' }, clock.now())
  /** As a Lineclear consumer sends it, and re-sends it for the `retry`th time. */
  const sendStamped = (
    uniqueRequestId: string,
    { body = '{}', resendNumber = 0 } = {},
  ): SimulatedMessage => {
    const stamp = { uniqueRequestId, resendNumber, hops: resendNumber, sentAt: clock.now() }
    return put(queue, { ...buildMessage(body, {}, stamp), groupId: 'g' }, clock.now())
  }
  /** Delivers them in one batch. @returns whether any of them stays */
  const deliver = async (
    given: SimulatedMessage | readonly SimulatedMessage[],
    change: Partial<SQSRecord['attributes']> = {},
    by: SqsHandler = handler,
  ): Promise<boolean> => {
    const messages = 'id' in given ? [given] : given
    const Records = messages.map((message) => {
      const record = receive(queue, message, clock.now(), memoryQueueArn(name))
      return { ...record, attributes: { ...record.attributes, ...change } }
    })
    const { batchItemFailures } = await by({ Records }, lambdaContext(left))
    const kept = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    const gone = messages.filter(({ id }) => !kept.has(id))
    queue.messages = queue.messages.filter((each) => !gone.includes(each))
    return kept.size > 0
  }
  const reasons = (): unknown[] => dead.messages.map(({ message }) => carriedBy(message).reason)
  return {
    options: common,
    clock,
    store,
    logger,
    queueDouble,
    queue,
    dead,
    settled,
    send,
    sendStamped,
    deliver,
    reasons,
  }
}

function userAttributes(count: number): OutgoingMessage['attributes'] {
  const value = { DataType: 'String', StringValue: 'x' }
  return Object.fromEntries(Array.from({ length: count }, (_, nth) => [`more-${nth}`, value]))
}

function signalIn(given: object | undefined): AbortSignal | undefined {
  const signal: unknown = given !== undefined && 'abortSignal' in given && given.abortSignal
  return signal instanceof AbortSignal ? signal : undefined
}

function carriedBy(message: SimulatedMessage['message']): { readonly reason?: string } {
  return JSON.parse(attributeOf(message, 'lineclear') ?? '{}') as object
}
