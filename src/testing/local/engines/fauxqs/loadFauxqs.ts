import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as SQS from '../../../../library/base/limits/sqs.ts'
import { ConfigError, messageOf } from '../../../../library/base/errors.ts'
import { keepingAttributes, namingSources, restoringAttributes } from './attributes.ts'
import { queueUrlAt } from '../../description/description.ts'
import {
  addHandler,
  type Handler,
  type RefusalOf,
  replaceHandlers,
  type Router,
} from './handlers.ts'
import { publishAsSns } from './publishing.ts'
import { sendByForm } from './queryProtocol.ts'
import { byReceipt, DELETION, type Dequeue, HIDING, withReceipts } from './receipts.ts'

/** Loads fauxqs, only for clouds with queues or topics. @throws ConfigError when it is not installed */
export async function loadFauxqs(): Promise<typeof import('fauxqs')> {
  try {
    const fauxqs = await import('fauxqs')
    await Promise.all([acceptAllOfUnicode(), queuesAsSqs(), urlsOfThisServer(), routesAsAws()])
    return fauxqs
  } catch (error) {
    throw new ConfigError(
      `startLocalCloud: queues and topics need the package fauxqs, which could not be loaded (${messageOf(error)}). ${cureOf(error)}`,
      { cause: error },
    )
  }
}

/** It is an ES module. */
function cureOf(error: unknown): string {
  const isJest = messageOf(error).includes('--experimental-vm-modules')
  return isJest
    ? 'A test of jest cannot load it: start the cloud in globalSetup, and join it in the test with joinLocalCloud'
    : 'Install it: npm install --save-dev fauxqs'
}

/**
 * fauxqs 2.4.1 refuses bodies with characters above U+FFFF, because its pattern lacks the flag u. SQS accepts them
 * (API_SendMessage.html), so the pattern that all its checks share is patched. A version without the bug is not changed.
 */
async function acceptAllOfUnicode(): Promise<void> {
  const rules = await importInternals('sqs/sqsTypes')
  const pattern = rules?.INVALID_MESSAGE_BODY_CHAR
  if (!(pattern instanceof RegExp) || !pattern.test('\u{1F600}')) return
  const refused = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u
  pattern.test = (text) => refused.test(text)
}

interface Internals {
  readonly SqsRouter?: { readonly prototype: Router }
  readonly SnsRouter?: { readonly prototype: Router }
  readonly SqsError?: Refuse
  readonly SnsError?: Refuse
  readonly INVALID_MESSAGE_BODY_CHAR?: unknown
  readonly SqsQueue?: {
    readonly prototype: {
      dequeueFifo?: Parameters<typeof receiveWholeGroups>[0]
      dequeue?: Dequeue
    }
  }
  readonly SqsStore?: { readonly prototype: { buildQueueUrl?: BuildUrl } }
}
type Refuse = new (code: string, message: string) => Error
type BuildUrl = (queue: string, port: string) => string

/** Known to all copies of this module: another copy, or version, of Lineclear in the process meets the same fauxqs. */
const AS_AWS = Symbol.for('lineclear: as AWS')

/** @returns whether it is the first time */
function claimPatch(prototype: object): boolean {
  if (Object.hasOwn(prototype, AS_AWS)) return false
  return Reflect.defineProperty(prototype, AS_AWS, { value: true })
}

async function queuesAsSqs(): Promise<void> {
  const { prototype } = (await importInternals('sqs/sqsStore'))?.SqsQueue ?? {}
  if (prototype?.dequeueFifo === undefined || !claimPatch(prototype)) return
  prototype.dequeueFifo = receiveWholeGroups(prototype.dequeueFifo)
  if (prototype.dequeue !== undefined) {
    prototype.dequeue = namingSources(withReceipts(prototype.dequeue))
  }
}

/** fauxqs 2.4.1 deletes by any receipt and without a word, has other filters than SNS, and knows no MessageStructure and no query protocol of SQS. */
async function routesAsAws(): Promise<void> {
  const [sqs, sns, errors] = await Promise.all(
    ['sqs/sqsRouter', 'sns/snsRouter', 'common/errors'].map(importInternals),
  )
  const [queues, topics] = [sqs?.SqsRouter?.prototype, sns?.SnsRouter?.prototype]
  const { SqsError, SnsError } = errors ?? {}
  let send: Handler | undefined
  if (queues !== undefined && SqsError !== undefined && claimPatch(queues)) {
    const refusal: RefusalOf = (code, message) => new SqsError(code, message)
    const deleted = (handler: Handler): Handler => byReceipt(handler, DELETION, refusal)
    const hidden = (handler: Handler): Handler => byReceipt(handler, HIDING, refusal)
    replaceHandlers(queues, {
      SendMessage: (handler) => (send = keepingAttributes(handler)),
      SendMessageBatch: keepingAttributes,
      ReceiveMessage: restoringAttributes,
      DeleteMessage: deleted,
      DeleteMessageBatch: deleted,
      ChangeMessageVisibility: hidden,
      ChangeMessageVisibilityBatch: hidden,
    })
  }
  if (topics === undefined || SnsError === undefined || !claimPatch(topics)) return
  const refused: RefusalOf = (code, message) => new SnsError(code, message)
  const published = (handler: Handler): Handler => publishAsSns(handler, refused)
  replaceHandlers(topics, { Publish: published, PublishBatch: published })
  addHandler(
    topics,
    'SendMessage',
    sendByForm((...asked) => send?.(...asked), refused),
  )
}

/**
 * fauxqs gives out URLs of the host `sqs.us-east-1.localhost`, which many machines cannot resolve and the guard refuses; a client
 * sends to the host of the URL that GetQueueUrl has answered.
 */
async function urlsOfThisServer(): Promise<void> {
  const { prototype } = (await importInternals('sqs/sqsStore'))?.SqsStore ?? {}
  if (prototype?.buildQueueUrl === undefined) return
  prototype.buildQueueUrl = (queue, port) => queueUrlAt(`http://127.0.0.1:${port}`, queue)
}

async function importInternals(file: string): Promise<Internals | undefined> {
  try {
    return (await import(pathToFileURL(pathInFauxqs(`dist/${file}.js`)).href)) as Internals
  } catch {
    return undefined
  }
}

/** Its `exports` opens one file, and only for `import`. */
function pathInFauxqs(file: string): string {
  const folders = createRequire(import.meta.url).resolve.paths('fauxqs') ?? []
  return folders.map((folder) => join(folder, 'fauxqs', file)).find(existsSync) ?? file
}

/** The internals of a FIFO queue in fauxqs: messages by group, and how many of each group are in flight. */
interface FifoQueue {
  readonly fifoMessages: Map<string, { readonly sequenceNumber?: string }[]>
  readonly fifoLockedGroups: Map<string, number>
  readonly inflightMessages: Map<string, { visibilityDeadline: number }>
  readonly attributes: { readonly VisibilityTimeout?: string }
  processTimers(): void
}
type Receive = (
  this: FifoQueue,
  most: number,
  visibility?: number,
  ...rest: readonly unknown[]
) => readonly { readonly ReceiptHandle: string }[]

/**
 * SQS returns as many messages of one group as possible in one receive, in order, and locks the group until the last of them is
 * deleted or visible (FIFO-queues-understanding-logic.html). fauxqs returns one, and reverses messages that become visible
 * together.
 */
function receiveWholeGroups(one: Receive): Receive {
  return function (most, asked, ...rest) {
    this.processTimers()
    const visibility = asked ?? Number(this.attributes.VisibilityTimeout)
    for (const messages of this.fifoMessages.values()) messages.sort(bySequence)
    const lockedBefore = new Map(this.fifoLockedGroups)
    const taken = new Map<string, number>()
    const received: { readonly ReceiptHandle: string }[] = []
    while (received.length < most) {
      // Hidden until all are received: with a timeout of 0, one message would be received again and again.
      const messages = one.apply(this, [1, SQS.visibility, ...rest])
      if (messages.length === 0) break
      received.push(...messages)
      for (const [group, count] of this.fifoLockedGroups) {
        if (lockedBefore.has(group)) continue
        taken.set(group, (taken.get(group) ?? 0) + count)
        this.fifoLockedGroups.delete(group)
      }
    }
    const visibilityDeadline = Date.now() + visibility * 1_000
    for (const { ReceiptHandle } of received) {
      Object.assign(this.inflightMessages.get(ReceiptHandle) ?? {}, { visibilityDeadline })
    }
    for (const [group, count] of taken) this.fifoLockedGroups.set(group, count)
    return received
  }
}

/** fauxqs pads sequence numbers to one length, so they compare as text. */
function bySequence(
  { sequenceNumber: one = '' }: { readonly sequenceNumber?: string },
  { sequenceNumber: other = '' }: { readonly sequenceNumber?: string },
): number {
  return one < other ? -1 : Number(one > other)
}
