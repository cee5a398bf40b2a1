import { isUniqueRequestId } from '../../../record/envelope/lineclearAttributes.ts'
import type { CloudDescription } from '../../../testing/local/description/description.ts'
import type { Sending } from '../../../testing/local/dev/sendToCloud.ts'
import { flagIn, readFields, textIn, wholeIn } from './readBody.ts'
import { RequestError } from '../reply.ts'

/** What is to be sent: without a payload, samples. */
interface SendPlan {
  readonly sendings: readonly Omit<Sending, 'payload'>[]
  /** Undefined: the sample of FILE. */
  readonly payload: { readonly is: unknown } | undefined
  readonly to: string
}

const MOST = 1_000
const FIELDS = [
  'to',
  'payload',
  'times',
  'twice',
  'bySns',
  'outOfOrder',
  'uniqueRequestId',
  'group',
] as const

/** @throws RequestError 400 for a wrong body, 404 for what the cloud does not have */
export function readSend(
  body: unknown,
  cloud: CloudDescription,
): SendPlan & { outOfOrder: boolean } {
  const given = readFields(body, FIELDS)
  const to = textIn('to', given.to)
  const isQueue = Object.hasOwn(cloud.queues ?? {}, to)
  if (!isQueue && !Object.hasOwn(cloud.topics ?? {}, to)) {
    throw new RequestError(404, `FILE has no queue and no topic ${JSON.stringify(to)}`)
  }
  const times = given.times === undefined ? 1 : wholeIn('times', given.times, 1, MOST)
  const bySns = topicFor(to, isQueue, given.bySns, cloud)
  const id = given.uniqueRequestId === undefined ? undefined : idIn(given.uniqueRequestId)
  const group = given.group === undefined ? undefined : textIn('group', given.group)
  const copies = flagIn('twice', given.twice) ? 2 : 1
  return {
    to,
    payload: given.payload === undefined ? undefined : { is: given.payload },
    outOfOrder: flagIn('outOfOrder', given.outOfOrder),
    sendings: Array.from({ length: times }, (_, at) => ({
      to,
      ...(copies > 1 && { copies }),
      ...(bySns !== undefined && { bySns }),
      ...(id !== undefined && { uniqueRequestId: at === 0 ? id : `${id}-${at + 1}` }),
      ...(group !== undefined && { group }),
    })),
  }
}

function topicFor(
  to: string,
  isQueue: boolean,
  given: unknown = false,
  cloud: CloudDescription,
): string | undefined {
  if (given === false) return isQueue ? undefined : to
  const topics = topicsTo(to, cloud)
  if (!isQueue || topics.length === 0) {
    throw new RequestError(400, `bySns: no topic delivers to ${JSON.stringify(to)}`)
  }
  if (given === true) return topics[0]
  const topic = textIn('bySns', given)
  if (topics.includes(topic)) return topic
  throw new RequestError(404, `bySns: the topic ${JSON.stringify(topic)} does not deliver to ${to}`)
}

/** The topics that a queue is subscribed to. */
export function topicsTo(queue: string, { topics = {} }: CloudDescription): readonly string[] {
  return Object.entries(topics)
    .filter(([, { subscriptions = [] }]) => subscriptions.some((each) => each.queue === queue))
    .map(([topic]) => topic)
}

function idIn(value: unknown): string {
  const id = textIn('uniqueRequestId', value)
  // With `times` a number of up to four digits is added.
  if (isUniqueRequestId(id) && id.length <= 250) return id
  throw new RequestError(
    400,
    'uniqueRequestId: expected 1 to 250 printable characters without spaces',
  )
}

/** The same order for the same seed. */
export function inAnyOrder<T>(items: readonly T[], seed: number): readonly T[] {
  const shuffled = [...items]
  let state = seed
  for (let at = shuffled.length - 1; at > 0; at--) {
    // A linear congruential generator: no more than another order is needed.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const other = state % (at + 1)
    const [one, two] = [shuffled[at], shuffled[other]]
    if (one !== undefined && two !== undefined) [shuffled[at], shuffled[other]] = [two, one]
  }
  return shuffled
}
