import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { PublishCommand } from '@aws-sdk/client-sns'
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
import { createQueue, subscribe } from './checks/desk.ts'
import { operate } from './operate.ts'
import type { Answer, Place } from './places/place.ts'

export type Row = Readonly<Record<string, string>>

/** How long is waited for effects, and what ends the run before. */
export interface Pace {
  readonly withinMs: number
  /** Names of what is made beside the template begin with it. */
  readonly prefix: string
  /** Called before each wait and each message. @throws what ends the run */
  check(): void
  sent(messages: number): void
}

const COUNTS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const

/** The outside of the deployed functions: senders, subscribers, callers, operators and checks of the books. */
export function openStage(place: Place, pace: Pace) {
  const { sqs, sns, dynamodb, eventBridge } = place.clients
  const listening = new Map<string, string>()
  const requests: (() => Promise<unknown>)[] = []
  const queues = (): [string, string][] =>
    [...place.resources, ...listening].filter(([, id]) => /^https?:/.test(id))
  return {
    place,
    send,
    twice,
    again,
    publish,
    putEvent,
    listen,
    take,
    rows,
    put,
    call,
    callUntilTaken,
    waiting,
    until: untilSo,
    lineclear: (...args: readonly string[]) => operate(place, args),
    nameOf,
  }

  /** Everything is sent twice at once, as one request; `again` sends it a third time. */
  async function twice(sendAs: (id: string) => Promise<unknown>): Promise<void> {
    const id = randomUUID()
    requests.push(() => sendAs(id))
    await Promise.all([sendAs(id), sendAs(id)])
  }

  /** @returns how many requests were sent again */
  async function again(): Promise<number> {
    for (const request of requests) await request()
    return requests.length
  }

  /** By its logical name. */
  function find(name: string): string {
    const found = place.resources.get(name) ?? listening.get(name)
    if (found === undefined) throw new Error(`the template has no ${name}`)
    return found
  }

  /** The physical name of a queue. */
  function nameOf(queue: string): string {
    return find(queue).split('/').at(-1) ?? ''
  }

  /** @param id two messages with the same one are one request */
  async function send(queue: string, payload: object, id?: string): Promise<void> {
    pace.check()
    pace.sent(1)
    const MessageBody = JSON.stringify(payload)
    const sent = { QueueUrl: find(queue), MessageBody, MessageAttributes: stampedWith(id) }
    await sqs.send(new SendMessageCommand(sent))
  }

  async function publish(topic: string, payload: object, id: string): Promise<void> {
    pace.check()
    pace.sent(1)
    const Message = JSON.stringify(payload)
    const sent = { TopicArn: find(topic), Message, MessageAttributes: stampedWith(id) }
    await sns.send(new PublishCommand(sent))
  }

  async function putEvent(Source: string, DetailType: string, detail: object): Promise<void> {
    pace.check()
    pace.sent(1)
    const Detail = JSON.stringify(detail)
    const Entries = [{ Source, DetailType, Detail, EventBusName: 'default' }]
    await eventBridge.send(new PutEventsCommand({ Entries }))
  }

  /** A queue that is subscribed to this topic. */
  async function listen(topic: string, queue: string): Promise<void> {
    const made = await createQueue(sqs, `${pace.prefix}${queue}`)
    listening.set(queue, made.url)
    await subscribe(place.clients, find(topic), made, false)
  }

  /** Receives and deletes all messages of a queue. */
  async function take(queue: string): Promise<Message[]> {
    const QueueUrl = find(queue)
    const taken: Message[] = []
    for (;;) {
      const asked = { QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] }
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ ...asked, WaitTimeSeconds: 1 }),
      )
      if (Messages.length === 0) return taken
      taken.push(...Messages)
      for (const { ReceiptHandle } of Messages) {
        await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
      }
    }
  }

  async function rows(TableName: string): Promise<Row[]> {
    const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName, ConsistentRead: true }))
    return Items.map((item) =>
      Object.fromEntries(
        Object.entries(item).map(([name, value]) => [name, String(value.S ?? value.N)]),
      ),
    )
  }

  /** A row, as a system outside of the examples writes it: numbers as such, all else as texts. */
  async function put(TableName: string, row: Readonly<Record<string, string | number>>) {
    const Item = Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'number' ? { N: String(value) } : { S: value },
      ]),
    )
    await dynamodb.send(new PutItemCommand({ TableName, Item }))
  }

  function call(path: string, body: object, headers: Row = {}): Promise<Answer> {
    pace.check()
    pace.sent(1)
    const named = { 'content-type': 'application/json', ...headers }
    return place.call(path, JSON.stringify(body), named)
  }

  /** As a client does: until the answer is 2xx. */
  async function callUntilTaken(...request: Parameters<typeof call>): Promise<string> {
    const isTaken = ({ status }: Answer): boolean => status < 300
    return (await untilSo(`POST ${request[0]}`, () => call(...request), isTaken)).body
  }

  /** Polls until it is so. @throws Error with the last state */
  async function untilSo<T>(
    what: string,
    ask: () => Promise<T>,
    isSo: (answer: T) => boolean,
  ): Promise<T> {
    const end = Date.now() + pace.withinMs
    for (;;) {
      pace.check()
      const answer = await ask()
      if (isSo(answer)) return answer
      if (Date.now() > end) {
        throw new Error(`${what}: not so, it is ${JSON.stringify(answer)}; ${await deadLetter()}`)
      }
      await sleep(500)
    }
  }

  async function deadLetter(): Promise<string> {
    const [queue] = Object.keys(await waiting(/DeadLetters/))
    if (queue === undefined) return 'there are no dead letters'
    const asked = { QueueUrl: find(queue), VisibilityTimeout: 0, MessageAttributeNames: ['All'] }
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(asked))
    const [letter] = Messages
    return `${queue} holds ${letter?.Body}, with ${JSON.stringify(letter?.MessageAttributes)}`
  }

  /** How many messages each queue with such a logical name holds, hidden and delayed ones too; empty queues are left out. */
  async function waiting(names: RegExp): Promise<Readonly<Record<string, number>>> {
    const found = queues().filter(([name]) => names.test(name))
    const counts = await Promise.all(
      found.map(async ([name, QueueUrl]) => {
        const asked = { QueueUrl, AttributeNames: [...COUNTS] }
        const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand(asked))
        return [name, COUNTS.reduce((all, each) => all + Number(Attributes[each] ?? 0), 0)] as const
      }),
    )
    return Object.fromEntries(counts.filter(([, count]) => count > 0))
  }
}

export type Stage = ReturnType<typeof openStage>

function stampedWith(id: string | undefined) {
  return id === undefined ? undefined : { uniquerequestid: { DataType: 'String', StringValue: id } }
}
