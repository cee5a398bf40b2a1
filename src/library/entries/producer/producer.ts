import * as option from '../../base/options.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { systemClock } from '../../base/clock.ts'
import type { Route } from '../../run/context/checkSend.ts'
import { ConfigError } from '../../base/errors.ts'
import { kindOf } from '../../base/kindOf.ts'
import { awsMessenger } from '../../adapters/send/awsMessenger.ts'
import { deliverAll, type ProducerRequest } from './deliverAll.ts'
import { traced } from './trace.ts'
import type { PayloadInput, Produced, Producer, ProducerOptions, PayloadOutput } from './options.ts'
import { buildRequest, type RequestRules } from './request.ts'

/**
 * Sends requests to Lineclear consumers from an API, a cron job or a script, stamped as `ctx.send` stamps its messages: each
 * consumer runs a request once, however often it is sent, and `newerThan` compares the time that the sender gave. Needs
 * sqs:SendMessage, or sns:Publish.
 *
 * Give an id (`id`, or `uniqueRequestId` of a call) wherever a request may be sent twice: an API whose caller retries, a script
 * that is started again. Without an id each call is a request of its own.
 * @example
 * const orders = producer({ schema: OrderPlaced, id: ({ orderId }) => orderId, sentAt: ({ placedAt }) => placedAt })
 *
 * export async function handler(event: APIGatewayProxyEventV2) {
 *   const order = OrderPlaced.parse(JSON.parse(event.body ?? 'null'))
 *   const { uniqueRequestId } = await orders.send(process.env['ORDERS_QUEUE'] ?? '', order)
 *   return { statusCode: 202, body: JSON.stringify({ uniqueRequestId }) }
 * }
 * @throws ConfigError at once, naming the option, when an option is wrong
 */
export function producer<const Schema extends StandardSchemaV1 | undefined = undefined>(
  options: ProducerOptions<Schema> = {},
): Producer<PayloadInput<Schema>> {
  checkProducer(options)
  const { clock = systemClock, id, sentAt, tracing } = options
  const sender = awsMessenger({ ...options.clients })
  const rules: RequestRules = {
    schema: options.schema,
    idOf: id && ((payload) => id(payload as PayloadOutput<Schema>)),
    sentAtOf: sentAt && ((payload) => sentAt(payload as PayloadOutput<Schema>)),
    payloads: options.offload,
    now: () => clock.now(),
  }
  const sendAll = (
    call: string,
    route: Route,
    target: string,
    entries: readonly Entry[],
  ): Promise<readonly Produced[]> =>
    traced(tracing, { route, target, count: entries.length }, async (trace) => {
      const requests: ProducerRequest[] = []
      for (const { payload, given } of entries) {
        requests.push(await buildRequest(rules, route, target, payload, given, trace))
      }
      assertDistinctIds(call, requests)
      return deliverAll(sender, clock, { call, route, target, requests })
    })
  const one = async (route: Route, target: string, entry: Entry): Promise<Produced> => {
    const [sent] = await sendAll(`producer.${route}('${target}')`, route, target, [entry])
    if (sent === undefined) throw new Error('fewer answers than messages')
    return sent
  }
  const many = async (route: Route, target: string, messages: unknown) => {
    const call = `producer.${route}Many('${target}')`
    return sendAll(call, route, target, entriesOf(call, messages))
  }
  return Object.freeze({
    send: (queueUrl, payload, given = {}) => one('send', queueUrl, { payload, given }),
    publish: (topicArn, payload, given = {}) => one('publish', topicArn, { payload, given }),
    sendMany: (queueUrl, messages) => many('send', queueUrl, messages),
    publishMany: (topicArn, messages) => many('publish', topicArn, messages),
  } satisfies Producer<PayloadInput<Schema>>)
}

interface Entry {
  readonly payload: unknown
  /** The options of the message, which are not checked yet. */
  readonly given: object
}

function entriesOf(call: string, messages: unknown): readonly Entry[] {
  const list: readonly unknown[] | undefined = Array.isArray(messages) ? messages : undefined
  const isEntry = (each: unknown): each is { readonly payload: unknown } =>
    typeof each === 'object' && each !== null && 'payload' in each
  if (list?.every(isEntry) === true)
    return list.map(({ payload, ...given }) => ({ payload, given }))
  const other = list === undefined ? messages : list.find((each) => !isEntry(each))
  throw new ConfigError(
    `${call}: expected a list of { payload, …options }; got ${list === undefined ? '' : 'in it '}${kindOf(other)}. ` +
      `Nothing was sent.`,
  )
}

/** Two messages under one id: the second would be dropped as a duplicate of the first, or dead-lettered as a conflict. */
function assertDistinctIds(call: string, requests: readonly ProducerRequest[]): void {
  const seen = new Map<string, number>()
  for (const [index, { uniqueRequestId }] of requests.entries()) {
    const before = seen.get(uniqueRequestId)
    if (before !== undefined) {
      throw new ConfigError(
        `${call}: messages ${before} and ${index} have the same uniqueRequestId, so only one of them would be run. Nothing was sent.`,
      )
    }
    seen.set(uniqueRequestId, index)
  }
}

const OPTIONS: option.Checks<ProducerOptions> = {
  schema: option.aSchema,
  id: option.aFunction('(payload) => payload.orderId'),
  sentAt: option.aFunction('(payload) => payload.changedAt'),
  tracing: option.aTracing,
  offload: option.anOffload,
  clients: option.someClients,
  clock: option.aClock,
}

/** @throws ConfigError naming the option, what was expected and what was given */
function checkProducer(options: unknown): void {
  option.checkOptions('producer', options, OPTIONS)
}
