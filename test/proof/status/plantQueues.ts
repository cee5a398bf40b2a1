import type { SQSClient } from '@aws-sdk/client-sqs'
import { operatorSqs } from '../../../src/tools/operator/aws/queues.ts'
import { sendableId } from '../../../src/library/protocol/record/envelope/lineclearAttributes.ts'
import { accessDenied, answerInstead, awsError, CREDENTIALS } from './answerInstead.ts'
import { chanceOf } from './chance.ts'
import { runIdOf } from './plantTable.ts'
import type { Denied, Letter, Queue, World } from './world.ts'

const HOST = 'https://sqs.us-east-1.amazonaws.com/000000000000/'
const ARN = 'arn:aws:sqs:us-east-1:000000000000:'

export interface PlantedQueues {
  readonly sqs: SQSClient
  /** Names of queues with letters that status holds still. */
  held(): readonly string[]
}

interface Message {
  readonly letter: Letter
  readonly message: object
  /** undefined: it is visible. */
  receipt: string | undefined
}

/** SQS of a world: what it counts, and its letters, which come in any order. */
export function plantQueues(world: World, now: () => number): PlantedQueues {
  const sqs = operatorSqs(CREDENTIALS)
  const chance = chanceOf(world.seed + 1e6)
  const messages = world.letters.map((letter, at): Message => ({
    letter,
    message: messageOf(letter, at),
    receipt: letter.held ? 'another reader' : undefined,
  }))
  const on = (name: string): readonly Message[] =>
    messages.filter(({ letter }) => letter.queue === name)
  let receipts = 0

  function attributes(queue: Queue): object {
    const counted = on(queue.name).filter(({ letter }) => !letter.uncounted)
    const hidden = counted.filter(({ receipt }) => receipt !== undefined).length
    const grown = Math.floor((queue.grows * (now() - world.now)) / 1_000)
    const visible = queue.waiting + grown + counted.length - hidden
    return {
      QueueArn: ARN + queue.name,
      ApproximateNumberOfMessages: String(visible),
      ApproximateNumberOfMessagesNotVisible: String(queue.inFlight + hidden),
      ApproximateNumberOfMessagesDelayed: String(queue.delayed),
      ...(queue.deadLetterQueue !== undefined && {
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: ARN + queue.deadLetterQueue,
          maxReceiveCount: 10,
        }),
      }),
    }
  }

  function receive(queue: Queue, most: number): object {
    const visible = on(queue.name).filter(({ receipt }) => receipt === undefined)
    const Messages: object[] = []
    while (Messages.length < most && visible.length > 0) {
      const [taken] = visible.splice(visible.indexOf(chance.of(visible)), 1)
      if (taken === undefined) break
      taken.receipt = `receipt-${(receipts += 1)}`
      Messages.push({ ...taken.message, ReceiptHandle: taken.receipt })
    }
    return { Messages }
  }

  function release(entries: readonly { Id: string; ReceiptHandle: string }[]): object {
    for (const { ReceiptHandle } of entries) {
      const found = messages.find(({ receipt }) => receipt === ReceiptHandle)
      if (found !== undefined) found.receipt = undefined
    }
    return { Successful: entries.map(({ Id }) => ({ Id })), Failed: [] }
  }

  const refuse = (denied: Denied, action: string): void => {
    if (world.denied.has(denied)) throw accessDenied(action)
  }
  answerInstead(sqs, (operation, input) => {
    const asked = input as Asked
    if (operation === 'ListQueues') {
      refuse('list of queues', 'sqs:ListQueues')
      return { QueueUrls: world.queues.map(({ name }) => HOST + name) }
    }
    const name = asked.QueueUrl?.split('/').at(-1) ?? ''
    const queue = world.queues.find((each) => each.name === name)
    if (queue === undefined) throw awsError('QueueDoesNotExist', `no queue ${name}`)
    switch (operation) {
      case 'GetQueueAttributes':
        refuse(`attributes of ${name}`, `sqs:GetQueueAttributes on ${name}`)
        return { Attributes: attributes(queue) }
      case 'ReceiveMessage':
        refuse(`messages of ${name}`, `sqs:ReceiveMessage on ${name}`)
        return receive(queue, asked.MaxNumberOfMessages ?? 1)
      case 'ChangeMessageVisibilityBatch':
        return release(asked.Entries ?? [])
      default:
        throw awsError('NotHere', operation)
    }
  })
  return {
    sqs,
    held: () =>
      messages
        .filter(({ receipt }) => receipt?.startsWith('receipt-'))
        .map(({ letter }) => letter.queue),
  }
}

interface Asked {
  readonly QueueUrl?: string
  readonly MaxNumberOfMessages?: number
  readonly Entries?: readonly { Id: string; ReceiptHandle: string }[]
}

function messageOf(letter: Letter, at: number): object {
  const { by, of, nth, cause, sentAt, attempted, from } = letter
  const system = { SentTimestamp: String(sentAt), ApproximateReceiveCount: '1', SenderId: 's' }
  const moved = from === undefined ? {} : { DeadLetterQueueSourceArn: ARN + from }
  const body = { MessageId: `m-${at}`, Body: JSON.stringify({ nth }) }
  const message = { ...body, Attributes: { ...system, ...moved } }
  if (by !== 'lineclear' || of === undefined) return message
  const isRun = of.form === 'run'
  const run = { name: of.owner, key: of.id, id: runIdOf({ nth }), epoch: 1, sentAt, from: 'start' }
  const packed = {
    format: 1,
    resendNumber: 0,
    hops: 0,
    reason: cause?.reason,
    error: cause?.error(nth),
    consumer: isRun ? `${of.owner}.book` : of.owner,
    ...(attempted && { death: 1, attempts: 3 }),
    ...(isRun && { flow: run }),
  }
  const text = (StringValue: string) => ({ DataType: 'String', StringValue })
  const id = isRun ? runIdOf({ nth }) : sendableId(of.id)
  const MessageAttributes = { uniquerequestid: text(id), lineclear: text(JSON.stringify(packed)) }
  return { ...message, MessageAttributes }
}
