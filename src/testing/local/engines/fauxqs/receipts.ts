import * as SQS from '../../../../library/base/limits/sqs.ts'
import type { Handler, RefusalOf } from './handlers.ts'

interface QueuedMessage {
  readonly messageId: string
}
interface InFlight {
  readonly message: QueuedMessage
  receiptHandle: string
  visibilityDeadline: number
  receivedAt?: number
}

/** A queue in fauxqs. */
interface Queue {
  readonly name: string
  readonly arn: string
  readonly messages: QueuedMessage[]
  readonly fifoMessages: ReadonlyMap<string, readonly QueuedMessage[]>
  readonly inflightMessages: Map<string, InFlight>
  isFifo(): boolean
  processTimers(): void
}
interface Queues {
  getQueue(url: string): Queue | undefined
}
interface Received {
  readonly MessageId: string
  ReceiptHandle: string
}
export type Dequeue = (this: Queue, ...args: readonly unknown[]) => readonly Received[]

/** A receipt of fauxqs says nothing; this one names the queue and the message, so that a later request can be judged by it. */
export function withReceipts(dequeue: Dequeue): Dequeue {
  return function (...args) {
    const received = Reflect.apply(dequeue, this, args)
    for (const message of received) {
      const entry = this.inflightMessages.get(message.ReceiptHandle)
      if (entry === undefined) continue
      const receipt = receiptOf(this.name, message.MessageId, message.ReceiptHandle)
      this.inflightMessages.delete(message.ReceiptHandle)
      Object.assign(entry, { receiptHandle: receipt, receivedAt: Date.now() })
      this.inflightMessages.set(receipt, entry)
      message.ReceiptHandle = receipt
    }
    return received
  }
}

function receiptOf(queue: string, messageId: string, nonce: string): string {
  return Buffer.from([queue, messageId, nonce].join('\n')).toString('base64')
}

type State = 'foreign' | 'in flight' | 'visible' | 'received again' | 'deleted'

function stateOf(queue: Queue, receipt: string): State {
  queue.processTimers()
  if (queue.inflightMessages.has(receipt)) return 'in flight'
  const [name, id] = Buffer.from(receipt, 'base64').toString().split('\n')
  if (name !== queue.name || id === undefined) return 'foreign'
  const is = ({ messageId }: QueuedMessage): boolean => messageId === id
  if ([queue.messages, ...queue.fifoMessages.values()].some((some) => some.some(is))) {
    return 'visible'
  }
  const isHeld = [...queue.inflightMessages.values()].some(({ message }) => is(message))
  return isHeld ? 'received again' : 'deleted'
}

interface Entry {
  readonly Id?: string
  readonly ReceiptHandle?: string
  readonly VisibilityTimeout?: number
}
interface Refused {
  readonly code: string
  readonly message: string
}
interface BatchAnswer {
  readonly Successful: readonly { readonly Id: string }[]
  readonly Failed: readonly { readonly Id: string }[]
}

/** What is wrong with a receipt, and what is done for one that fauxqs does not know any more. */
interface Judge {
  refuse(queue: Queue, entry: Entry): Refused | undefined
  carryOut(queue: Queue, receipt: string, entry: Entry): void
}

/** One message, or each of a batch, as SQS does it. */
export function byReceipt(handler: Handler, judge: Judge, refusal: RefusalOf): Handler {
  return async (params, store, ...rest) => {
    const queue = (store as Queues).getQueue(String(params['QueueUrl']))
    const entries = (params['Entries'] ?? [params]) as readonly Entry[]
    if (queue === undefined || entries.some(({ ReceiptHandle }) => !ReceiptHandle)) {
      return handler(params, store, ...rest)
    }
    const judged = entries.map((entry) => {
      const receipt = entry.ReceiptHandle ?? ''
      return { entry, receipt, state: stateOf(queue, receipt), refused: judge.refuse(queue, entry) }
    })
    const [{ refused } = {}] = judged
    const isBatch = params['Entries'] !== undefined
    if (!isBatch && refused !== undefined) throw refusal(refused.code, refused.message)
    for (const { entry, receipt, state, refused: wrong } of judged) {
      if (state === 'visible' && wrong === undefined) judge.carryOut(queue, receipt, entry)
    }
    const answer = await handler(params, store, ...rest)
    return isBatch ? corrected(answer as BatchAnswer, judged) : answer
  }
}

function corrected(
  { Successful, Failed }: BatchAnswer,
  judged: readonly { readonly entry: Entry; readonly refused: Refused | undefined }[],
): object {
  const wrong = judged.flatMap(({ entry: { Id }, refused }) =>
    refused === undefined
      ? []
      : [{ Id, SenderFault: true, Code: refused.code, Message: refused.message }],
  )
  const isRight = ({ Id }: { readonly Id: string }): boolean => !wrong.some((one) => one.Id === Id)
  return { Successful: Successful.filter(isRight), Failed: [...Failed.filter(isRight), ...wrong] }
}

function foreign(receipt = ''): Refused {
  return {
    code: 'ReceiptHandleIsInvalid',
    message: `The input receipt handle "${receipt}" is not a valid receipt handle.`,
  }
}

function invalid(why: string): Refused {
  return {
    code: 'InvalidParameterValue',
    message: `Value for parameter ReceiptHandle is invalid. Reason: ${why}`,
  }
}

/** The receipt of a FIFO queue ends with its visibility timeout. docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessage.html */
export const DELETION: Judge = {
  refuse(queue, { ReceiptHandle: receipt = '' }) {
    const state = stateOf(queue, receipt)
    if (state === 'foreign') return foreign(receipt)
    const isOver = state === 'visible' || state === 'received again'
    return isOver && queue.isFifo() ? invalid('The receipt handle has expired.') : undefined
  },
  carryOut: (queue, receipt) => void takeOut(queue, receipt),
}

/** docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html */
export const HIDING: Judge = {
  refuse(queue, { ReceiptHandle: receipt = '', VisibilityTimeout: seconds = 0 }) {
    const state = stateOf(queue, receipt)
    if (state === 'foreign') return foreign(receipt)
    const { receivedAt = Date.now() } = queue.inflightMessages.get(receipt) ?? {}
    const held = Math.floor((Date.now() - receivedAt) / 1_000)
    if (state === 'in flight' && held + seconds > SQS.visibility) {
      return {
        code: 'InvalidParameterValue',
        message: `Total VisibilityTimeout for the message is beyond the limit [${SQS.visibility} seconds]`,
      }
    }
    if (state === 'in flight' || (state === 'visible' && !queue.isFifo())) return undefined
    return invalid('Message does not exist or is not available for visibility timeout change.')
  },
  carryOut(queue, receipt, { VisibilityTimeout: seconds = 0 }) {
    const message = takeOut(queue, receipt)
    if (message === undefined) return
    const visibilityDeadline = Date.now() + seconds * 1_000
    queue.inflightMessages.set(receipt, { message, receiptHandle: receipt, visibilityDeadline })
  },
}

/** Takes a visible message out of a standard queue. */
function takeOut({ messages }: Queue, receipt: string): QueuedMessage | undefined {
  const [, id] = Buffer.from(receipt, 'base64').toString().split('\n')
  const place = messages.findIndex(({ messageId }) => messageId === id)
  return place < 0 ? undefined : messages.splice(place, 1)[0]
}
