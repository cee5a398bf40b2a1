import { isObject } from '../../../base/kindOf.ts'
import { RequestError } from '../reply.ts'
import { checkFaults, type Faults } from '../../../testing/local/faults/faults.ts'
import { messageOf } from '../../../base/errors.ts'
import type { FaultBody, KillNext } from './types.ts'
import { isUniqueRequestId } from '../../../record/envelope/lineclearAttributes.ts'
import type { CloudDescription } from '../../../testing/local/description/description.ts'
import type { Sending } from '../../../testing/local/dev/sendToCloud.ts'

/** @throws RequestError 400 unless the body is an object with known fields only */
export function readFields<const Name extends string>(
  body: unknown,
  names: readonly Name[],
): { readonly [Field in Name]?: unknown } {
  if (!isObject(body)) throw new RequestError(400, 'expected a JSON object')
  const unknown = Object.keys(body).find((name) => !(names as readonly string[]).includes(name))
  if (unknown === undefined) return body as { readonly [Field in Name]?: unknown }
  const expected = names.length === 0 ? 'nothing' : names.join(', ')
  throw new RequestError(400, `${JSON.stringify(unknown)} is not known here: expected ${expected}`)
}

/** @throws RequestError 400 */
export function textIn(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new RequestError(400, `${name}: expected a text`)
}

/** @throws RequestError 400 */
export function flagIn(name: string, value: unknown = false): boolean {
  if (typeof value === 'boolean') return value
  throw new RequestError(400, `${name}: expected true or false`)
}

/** @throws RequestError 400 */
function wholeIn(name: string, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most)
    return value
  throw new RequestError(400, `${name}: expected a whole number from ${least} to ${most}`)
}

/** @throws RequestError 400 */
function oneOf<const Value extends string>(
  name: string,
  value: unknown,
  known: readonly Value[],
): Value {
  const found = known.find((each) => each === value)
  if (found !== undefined) return found
  throw new RequestError(400, `${name}: expected one of ${known.join(', ')}`)
}

/** @throws RequestError 400 */
export function readFault(body: unknown): FaultBody {
  const given = readFields(body, ['consumer', 'faults', 'killNext', 'outside', 'state'])
  if (given.outside !== undefined) {
    const state = oneOf('state', given.state, ['up', 'down', 'slow', 'answerLost'])
    return { outside: textIn('outside', given.outside), state }
  }
  const consumer = textIn('consumer', given.consumer)
  if (given.faults !== undefined) return { consumer, faults: faultsIn(given.faults) }
  if (given.killNext === undefined) {
    throw new RequestError(
      400,
      'expected faults or killNext beside consumer, or outside with state',
    )
  }
  return { consumer, killNext: given.killNext === null ? null : killIn(given.killNext) }
}

function faultsIn(value: unknown): Faults {
  if (!isObject(value)) throw new RequestError(400, 'faults: expected an object')
  try {
    checkFaults(value)
    return value
  } catch (error) {
    throw new RequestError(400, messageOf(error))
  }
}

function killIn(value: unknown): KillNext {
  const { action, effect, nth, when } = readFields(value, ['action', 'effect', 'nth', 'when'])
  return {
    ...(action !== undefined && { action: textIn('killNext.action', action) }),
    ...(effect !== undefined && { effect: textIn('killNext.effect', effect) }),
    ...(nth !== undefined && { nth: wholeIn('killNext.nth', nth, 1, 10_000) }),
    ...(when !== undefined && { when: oneOf('killNext.when', when, ['before', 'after']) }),
  }
}

/** What is to be sent: without a payload, samples. */
interface SendPlan {
  readonly sendings: readonly Omit<Sending, 'payload'>[]
  /** Undefined: the sample of FILE. */
  readonly payload: { readonly is: unknown } | undefined
  readonly to: string
}

const MOST = 1_000
const FIELDS = ['to', 'payload', 'times', 'twice', 'bySns', 'uniqueRequestId', 'group'] as const

/** @throws RequestError 400 for a wrong body, 404 for what the cloud does not have */
export function readSend(body: unknown, cloud: CloudDescription): SendPlan {
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
