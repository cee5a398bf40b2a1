import { ConfigError } from '../../base/errors.ts'
import { kindOf } from '../../base/kindOf.ts'
import {
  isFifoName,
  type QueueDescription,
  type SubscriptionDescription,
  type TopicDescription,
} from './description.ts'

type Names = readonly string[]

/** @throws ConfigError on an unknown option, a value that AWS would refuse, or a reference to a queue that is not described */
export function checkQueues(
  queues: Readonly<Record<string, QueueDescription>>,
  topics: Readonly<Record<string, TopicDescription>>,
): void {
  const names = Object.keys(queues)
  for (const [name, queue] of Object.entries(queues)) checkQueue(name, queue, names)
  for (const [name, topic] of Object.entries(topics)) checkTopic(name, topic, names)
}

function checkQueue(name: string, queue: QueueDescription, names: Names): void {
  const where = `queues.${name}`
  checkName(where, name, 80)
  refuseUnknown(where, queue, [
    'visibilityTimeout',
    'delay',
    'maximumMessageSize',
    'deadLetter',
    'contentBasedDeduplication',
  ])
  checkWhole(`${where}.visibilityTimeout`, queue.visibilityTimeout, 0, 43_200)
  checkWhole(`${where}.delay`, queue.delay, 0, 900)
  checkWhole(`${where}.maximumMessageSize`, queue.maximumMessageSize, 1_024, 1_048_576)
  checkFifoOption(where, name, queue.contentBasedDeduplication)
  if (queue.deadLetter === undefined) return
  refuseUnknown(`${where}.deadLetter`, queue.deadLetter, ['queue', 'maxReceiveCount'])
  checkWhole(`${where}.deadLetter.maxReceiveCount`, queue.deadLetter.maxReceiveCount, 1, 1_000)
  checkReference(`${where}.deadLetter.queue`, queue.deadLetter.queue, names)
  checkSameType(`${where}.deadLetter.queue`, name, queue.deadLetter.queue)
}

function checkTopic(name: string, topic: TopicDescription, names: Names): void {
  const where = `topics.${name}`
  checkName(where, name, 256)
  refuseUnknown(where, topic, ['subscriptions', 'contentBasedDeduplication'])
  checkFifoOption(where, name, topic.contentBasedDeduplication)
  for (const [index, subscription] of (topic.subscriptions ?? []).entries()) {
    checkSubscription(`${where}.subscriptions[${index}]`, name, subscription, names)
  }
}

function checkSubscription(
  where: string,
  topic: string,
  subscription: SubscriptionDescription,
  names: Names,
): void {
  refuseUnknown(where, subscription, ['queue', 'raw', 'filterPolicy', 'filterPolicyScope'])
  checkReference(`${where}.queue`, subscription.queue, names)
  // A FIFO topic may feed standard queues; a standard topic cannot feed a FIFO queue.
  if (!isFifoName(topic)) checkSameType(`${where}.queue`, topic, subscription.queue)
}

function checkName(where: string, name: string, longest: number): void {
  if (/^[A-Za-z0-9_-]+(\.fifo)?$/.test(name) && name.length <= longest) return
  throw new ConfigError(
    `${where}: expected a name of at most ${longest} of A-Z a-z 0-9 _ -, with .fifo at its end for FIFO, got ${JSON.stringify(name)}`,
  )
}

function checkReference(option: string, queue: string, names: Names): void {
  if (names.includes(queue)) return
  throw new ConfigError(
    `${option}: expected the name of a described queue (${names.join(', ')}), got ${JSON.stringify(queue)}`,
  )
}

function checkSameType(option: string, owner: string, queue: string): void {
  if (isFifoName(owner) === isFifoName(queue)) return
  throw new ConfigError(
    `${option}: expected a ${isFifoName(owner) ? 'FIFO' : 'standard'} queue, as ${owner} is one, got ${JSON.stringify(queue)}`,
  )
}

function checkFifoOption(where: string, name: string, value: boolean | undefined): void {
  if (value === undefined || isFifoName(name)) return
  throw new ConfigError(
    `${where}.contentBasedDeduplication: only for FIFO, whose names end in .fifo, got ${value}`,
  )
}

/** @throws ConfigError naming the first option of `options` that is not among `known`. */
export function refuseUnknown(where: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigError(`${where}: expected an object of options, got ${kindOf(options)}`)
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new ConfigError(
    `${where}.${unknown}: unknown option, expected one of ${known.join(', ')}, got ${shown(options, unknown)}`,
  )
}

/** @throws ConfigError unless `value` is what the option takes. */
export function checkIs(option: string, isRight: boolean, expected: string, value: unknown): void {
  if (!isRight) throw new ConfigError(`${option}: expected ${expected}, got ${kindOf(value)}`)
}

/** Checks for the method instead of the class, so that objects from another copy of a package pass. */
export function hasMethod(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && name in value
}

/** @throws ConfigError unless `value` is undefined or a whole number from `least` to `most`. */
export function checkWhole(option: string, value: unknown, least: number, most: number): void {
  if (value === undefined) return
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most)
    return
  throw new ConfigError(
    `${option}: expected a whole number from ${least} to ${most}, got ${JSON.stringify(value)}`,
  )
}

function shown(options: object, name: string): string {
  return JSON.stringify(new Map<string, unknown>(Object.entries(options)).get(name)) ?? 'a function'
}
