import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ListQueuesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs'
import { ListTopicsCommand, PublishCommand, SubscribeCommand } from '@aws-sdk/client-sns'
import { setTimeout as sleep } from 'node:timers/promises'
import { rootClients } from './account.ts'
import type { Deployment } from './setup.ts'
import { REGION, ROOT_KEY } from './startMinistack.ts'
import { signed } from './signed.ts'

type Row = Readonly<Record<string, string>>

/** The outside of the deployed functions: senders, subscribers, callers and checks of the books. */
export function openStage({ endpoint, api, customer }: Deployment) {
  const { sqs, sns, dynamodb } = rootClients(endpoint)
  return {
    queueUrl,
    send,
    publish,
    listen,
    take,
    rows,
    call,
    callUntilTaken,
    environmentOf,
    waiting,
    until: untilSo,
    dynamodb,
  }

  /** By its name, or by the logical name that CloudFormation has made part of it. */
  async function queueUrl(name: string): Promise<string> {
    const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}))
    const found =
      QueueUrls.find((url) => url.endsWith(`/${name}`)) ??
      QueueUrls.find((url) => url.includes(`-${name}-`))
    if (found === undefined) throw new Error(`no queue ${name} in ${QueueUrls.join(', ')}`)
    return found
  }

  /** @param id two messages with the same one are one request */
  async function send(queue: string, payload: object, id?: string): Promise<void> {
    const QueueUrl = await queueUrl(queue)
    const MessageBody = JSON.stringify(payload)
    await sqs.send(
      new SendMessageCommand({ QueueUrl, MessageBody, MessageAttributes: stampedWith(id) }),
    )
  }

  async function publish(topic: string, payload: object, id: string): Promise<void> {
    const Message = JSON.stringify(payload)
    const TopicArn = await topicArn(topic)
    await sns.send(new PublishCommand({ TopicArn, Message, MessageAttributes: stampedWith(id) }))
  }

  async function topicArn(part: string): Promise<string> {
    const { Topics = [] } = await sns.send(new ListTopicsCommand({}))
    return Topics.find(({ TopicArn = '' }) => TopicArn.includes(part))?.TopicArn ?? ''
  }

  /** A queue that is subscribed to this topic. */
  async function listen(topic: string, queue: string): Promise<void> {
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: queue }))
    const asked = { QueueUrl, AttributeNames: ['QueueArn' as const] }
    const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand(asked))
    const statement = {
      Effect: 'Allow',
      Principal: { Service: 'sns.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: Attributes['QueueArn'],
    }
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }))
    const TopicArn = await topicArn(topic)
    const Endpoint = Attributes['QueueArn']
    await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint }))
  }

  /** Receives and deletes all messages of a queue. */
  async function take(queue: string): Promise<Message[]> {
    const QueueUrl = await queueUrl(queue)
    const taken: Message[] = []
    for (;;) {
      const asked = { QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] }
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(asked))
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

  async function call(
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly body: string }> {
    const url = new URL(`${api}${path}`)
    const named = { 'content-type': 'application/json', ...headers }
    const response = await fetch(url, await signed(customer, url, named, JSON.stringify(body)))
    return { status: response.status, body: await response.text() }
  }

  /** As a client does: until the answer is 2xx. */
  async function callUntilTaken(...request: Parameters<typeof call>): Promise<string> {
    const isTaken = ({ status }: { readonly status: number }): boolean => status < 300
    return (await untilSo(`POST ${request[0]}`, () => call(...request), isTaken)).body
  }

  /** What a deployed function reads. */
  async function environmentOf(name: string): Promise<Readonly<Record<string, string>>> {
    const lambda = new LambdaClient({ endpoint, region: REGION, credentials: ROOT_KEY })
    const asked = { FunctionName: `lineclear-dev-${name}` }
    const { Environment } = await lambda.send(new GetFunctionConfigurationCommand(asked))
    lambda.destroy()
    return Environment?.Variables ?? {}
  }

  /** As `until`, which a dead letter ends at once. @throws Error at once with a dead letter */
  function untilSo<T>(
    what: string,
    ask: () => Promise<T>,
    isSo: (answer: T) => boolean,
  ): Promise<T> {
    const askBoth = async (): Promise<T> => {
      const answer = await ask()
      if (!isSo(answer)) await expectNoneDead(what, answer)
      return answer
    }
    return until(what, askBoth, isSo)
  }

  async function expectNoneDead(what: string, answer: unknown): Promise<void> {
    const [queue] = Object.keys(await waiting(/DeadLetters/i))
    if (queue === undefined) return
    const [deadLetter] = await take(queue)
    throw new Error(
      `${what}: ${JSON.stringify(answer)}, and ${queue} holds ${deadLetter?.Body ?? 'a dead letter'}, with ${JSON.stringify(deadLetter?.MessageAttributes)}`,
    )
  }

  /** How many messages each queue with such a name holds, hidden and delayed ones too; empty queues are left out. */
  async function waiting(names: RegExp): Promise<Readonly<Record<string, number>>> {
    const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}))
    const found = QueueUrls.filter((url) => names.test(url.split('/').at(-1) ?? ''))
    const counts = await Promise.all(
      found.map(async (QueueUrl) => {
        const AttributeNames = [
          'ApproximateNumberOfMessages',
          'ApproximateNumberOfMessagesNotVisible',
          'ApproximateNumberOfMessagesDelayed',
        ] as const
        const asked = { QueueUrl, AttributeNames: [...AttributeNames] }
        const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand(asked))
        const sum = AttributeNames.reduce((all, name) => all + Number(Attributes[name] ?? 0), 0)
        return [QueueUrl.split('/').at(-1) ?? '', sum] as const
      }),
    )
    return Object.fromEntries(counts.filter(([, count]) => count > 0))
  }
}

/** A message whose sandbox dies on a slow machine is received again after its visibility timeout of three minutes. */
const WITHIN_MS = 240_000

/** Polls until it is so. @throws Error with the last state */
export async function until<T>(
  what: string,
  ask: () => Promise<T>,
  isSo: (answer: T) => boolean,
): Promise<T> {
  const end = Date.now() + WITHIN_MS
  for (;;) {
    const answer = await ask()
    if (isSo(answer)) return answer
    if (Date.now() > end) throw new Error(`${what}: not so, it is ${JSON.stringify(answer)}`)
    await sleep(500)
  }
}

export type Stage = ReturnType<typeof openStage>

function stampedWith(id: string | undefined) {
  return id === undefined ? undefined : { uniquerequestid: { DataType: 'String', StringValue: id } }
}
