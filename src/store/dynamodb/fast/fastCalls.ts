import { randomUUID } from 'node:crypto'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type Clock, systemClock } from '../../../base/clock.ts'
import {
  type Answer,
  isReadableResponse,
  readAnswer,
  requestOf,
  type Template,
  templateOf,
} from './http.ts'
import { isConditionFailure } from '../calls/failure.ts'
import {
  type Call,
  type Input,
  type Operation,
  type Output,
  SENDERS,
  type CallWatch,
} from '../calls/table.ts'

type Config = DynamoDBClient['config']

/** What is needed to call past the client's middleware. */
interface Shortcut {
  readonly template: Template
  readonly signer: Awaited<ReturnType<Config['signer']>>
  readonly credentials: Config['credentials']
  /** Region, endpoint and account for which it holds. */
  readonly place: string
}

/** Milliseconds through the SDK after an answer that was not clean, so that an outage does not cost one request more each time. */
const REST = 1_000

/**
 * Calls past the client's middleware, which takes most of the CPU of a call. Credentials, signer, request handler and clock offset
 * are the client's own. The first call goes through the SDK, and shows what a request of this client looks like. Every call whose
 * answer is not clean goes through the SDK too, with the same input: to the caller that is one retry more of the SDK's own, and
 * all errors are the SDK's.
 */
export function fastCalls(client: () => DynamoDBClient, clock: Clock): Call {
  let shortcut: Shortcut | 'none' | undefined
  let plain: PlainClient | undefined
  let isLearning = false
  let restUntil = -Infinity

  return async (operation, input) => {
    if (shortcut === 'none' || isLearning || clock.now() < restUntil) {
      return SENDERS[operation](client(), input)
    }
    if (shortcut === undefined) return learn(operation, input)
    if (plain?.isUntouched() !== true) return SENDERS[operation](client(), input)
    const answer = await callFast(client(), shortcut, operation, input).catch(() => undefined)
    if (answer === undefined) {
      shortcut = undefined
      restUntil = clock.now() + REST
      return SENDERS[operation](client(), input)
    }
    if ('refusal' in answer) throw answer.refusal
    return answer.output
  }

  async function learn<O extends Operation>(operation: O, input: Input<O>): Promise<Output<O>> {
    let template: Template | undefined
    const watch: CallWatch = (next) => async (sent) => {
      const received = await next(sent)
      const isReadable = isReadableResponse(received.response)
      template = isReadable ? templateOf(operation, input, sent.request) : undefined
      return received
    }
    isLearning = true
    try {
      const output = await SENDERS[operation](client(), input, watch)
      shortcut = await shortcutOf(template)
      return output
    } catch (error) {
      if (isConditionFailure(error)) shortcut = await shortcutOf(template)
      throw error
    } finally {
      isLearning = false
    }
  }

  /** Of a client whose shape is not known there is none. */
  async function shortcutOf(template: Template | undefined): Promise<Shortcut | 'none'> {
    try {
      const { config } = client()
      plain ??= plainClient(client())
      if (template === undefined || !(await plain.isConfiguredPlainly())) return 'none'
      const { signingRegion } = template
      const scheme = { name: 'sigv4', signingName: 'dynamodb', signingRegion, properties: {} }
      const signer = await config.signer(scheme)
      const { credentials } = config
      return { template, signer, credentials, place: await placeOf(config) }
    } catch {
      return 'none'
    }
  }
}

/** Rejects, or gives undefined, when the answer is not clean or the shortcut no longer holds. */
async function callFast<O extends Operation>(
  { config }: DynamoDBClient,
  { template, signer, credentials, place }: Shortcut,
  operation: O,
  input: Input<O>,
): Promise<Answer<O> | undefined> {
  if (config.credentials !== credentials || (await placeOf(config)) !== place) return undefined
  const request = requestOf(template, operation, randomUUID(), JSON.stringify(input))
  const signed = await signer.sign(request, {
    signingDate: new Date(systemClock.now() + config.systemClockOffset),
    signingRegion: template.signingRegion,
    signingService: 'dynamodb',
  })
  const { response } = (await config.requestHandler.handle(signed, {})) as { response: unknown }
  return isReadableResponse(response) ? readAnswer(operation, input, response) : undefined
}

/** The parts of the endpoint that may be functions of the user's, and give something else the next time. */
async function placeOf({ region, endpoint, credentials }: Config): Promise<string> {
  const { protocol, hostname, port, path } = (await endpoint?.()) ?? {}
  const { accountId } = await credentials()
  return [await region(), accountId, protocol, hostname, port, path].join(' ')
}

/** Whether a client works as the SDK made it: then no middleware of the user's misses a call that goes past it. */
interface PlainClient {
  /** Checked before each call: a tracer or a test double may come later, and go again. */
  isUntouched(): boolean
  /** Checked once: the configuration does not change. */
  isConfiguredPlainly(): Promise<boolean>
}

/** Compares with a new client of the same SDK. It opens no connection and reads no credentials. */
function plainClient(client: DynamoDBClient): PlainClient {
  const fresh = new DynamoDBClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  })
  const send = isOfTheSdk(fresh.send) ? fresh.send : undefined
  const middleware = middlewareOf(fresh)
  return {
    isUntouched: () => client.send === send && middlewareOf(client) === middleware,
    async isConfiguredPlainly() {
      const [one, other] = [client.config, fresh.config]
      return (
        Object.getPrototypeOf(client) === DynamoDBClient.prototype &&
        one.extensions.length === 0 &&
        haveOneClass(one.protocol, other.protocol) &&
        // A logger of the user's is told of each call by a middleware.
        haveOneClass(one.logger, other.logger) &&
        // An adaptive or custom strategy may hold calls back.
        haveOneClass(await one.retryStrategy(), await other.retryStrategy()) &&
        (await one.endpointDiscoveryEnabled()) !== true
      )
    },
  }
}

/** Tracers and test doubles put a function of their own around `send`, or in its place. The names of properties outlive minifiers. */
function isOfTheSdk(send: DynamoDBClient['send']): boolean {
  return String(send).includes('resolveMiddleware')
}

function middlewareOf({ middlewareStack }: DynamoDBClient): string {
  return middlewareStack.identify().join()
}

function haveOneClass(one: object | undefined, other: object | undefined): boolean {
  return one?.constructor === other?.constructor
}
