import * as SQS from '../../library/base/limits/sqs.ts'
import {
  anObject,
  anything,
  type Check,
  checkOptions,
  matching,
  oneOf,
  required,
  trueOrFalse,
  whole,
  wrongOption,
} from '../../library/base/options.ts'
import { isFifoName, type QueueDescription, type TopicDescription } from './description.ts'

type OptionChecks = Readonly<Record<string, Check>>

export const aText: Check = matching(/^/, 'a text')
const QUEUE: Readonly<Record<keyof QueueDescription, Check>> = {
  visibilityTimeout: whole(0, SQS.visibility),
  delay: whole(0, SQS.delay),
  maximumMessageSize: whole(1_024, SQS.messageBytes),
  deadLetter: anObject,
  contentBasedDeduplication: trueOrFalse,
}
const DEAD_LETTER = {
  queue: required(aText),
  maxReceiveCount: required(whole(1, SQS.largestReceiveCount)),
}
const TOPIC = { subscriptions: anything, contentBasedDeduplication: trueOrFalse }
/** A subscription of `memoryCloud`, which knows no filter policies. */
export const PLAIN_SUBSCRIPTION: OptionChecks = { queue: required(aText), raw: trueOrFalse }
export const SUBSCRIPTION: OptionChecks = {
  ...PLAIN_SUBSCRIPTION,
  filterPolicy: anObject,
  filterPolicyScope: oneOf('MessageAttributes', 'MessageBody'),
}

/** @throws ConfigError on an unknown option, a value that AWS would refuse, or a reference to a queue that is not described */
export function checkQueues(
  who: string,
  queues: Readonly<Record<string, QueueDescription>>,
  topics: Readonly<Record<string, TopicDescription>>,
  subscription: OptionChecks,
): void {
  const checkReference = (where: string, owner: string, queue: string, isFifo: boolean): void => {
    const names = Object.keys(queues)
    const expected = `the name of a described queue (${names.join(', ')})`
    if (!names.includes(queue)) throw wrongOption(who, where, expected, queue)
    const kind = `a ${isFifo ? 'FIFO' : 'standard'} queue, as ${owner} is one`
    if (isFifo !== isFifoName(queue)) throw wrongOption(who, where, kind, queue)
  }
  const checkOne = (
    where: string,
    name: string,
    described: QueueDescription | TopicDescription,
    checks: OptionChecks,
    longest: number,
  ): void => {
    const expected = `a name of at most ${longest} of A-Z a-z 0-9 _ -, with .fifo at its end for FIFO`
    const isName = /^[A-Za-z0-9_-]+(\.fifo)?$/.test(name) && name.length <= longest
    if (!isName) throw wrongOption(who, where, expected, name)
    checkOptions(who, described, checks, `${where}.`)
    const { contentBasedDeduplication: byContent } = described
    if (byContent === undefined || isFifoName(name)) return
    const option = `${where}.contentBasedDeduplication`
    throw wrongOption(who, option, 'none: only for FIFO, whose names end in .fifo', byContent)
  }
  for (const [name, queue] of Object.entries(queues)) {
    const where = `queues.${name}`
    checkOne(where, name, queue, QUEUE, 80)
    checkOptions(who, queue.deadLetter, DEAD_LETTER, `${where}.deadLetter.`)
    if (queue.deadLetter === undefined) continue
    checkReference(`${where}.deadLetter.queue`, name, queue.deadLetter.queue, isFifoName(name))
  }
  for (const [name, topic] of Object.entries(topics)) {
    checkOne(`topics.${name}`, name, topic, TOPIC, 256)
    for (const [index, one] of (topic.subscriptions ?? []).entries()) {
      const where = `topics.${name}.subscriptions[${index}]`
      checkOptions(who, one, subscription, `${where}.`)
      // A FIFO topic may feed standard queues; a standard topic cannot feed a FIFO queue.
      const isFifo = isFifoName(name) && isFifoName(one.queue)
      checkReference(`${where}.queue`, name, one.queue, isFifo)
    }
  }
}
