import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject } from '../../../library/base/kindOf.ts'
import type { Endpoints } from './clients.ts'
import {
  instrument,
  type Instruments,
  type Instrumentable,
  type SdkMiddleware,
} from './instrument.ts'

const PACKAGES = {
  sqs: ['@aws-sdk/client-sqs', 'SQSClient'],
  sns: ['@aws-sdk/client-sns', 'SNSClient'],
  eventBridge: ['@aws-sdk/client-eventbridge', 'EventBridgeClient'],
  dynamodb: ['@aws-sdk/client-dynamodb', 'DynamoDBClient'],
  s3: ['@aws-sdk/client-s3', 'S3Client'],
} as const

/** The part of an SDK client that says where it sends to. */
interface SdkClient extends Instrumentable {
  readonly config?: {
    readonly isCustomEndpoint?: boolean
    readonly endpoint?: () => Promise<{
      readonly protocol: string
      readonly hostname: string
      readonly port?: number
    }>
    readonly serviceConfiguredEndpoint?: () => Promise<string | undefined>
  }
}

type Send = (this: SdkClient, ...args: readonly unknown[]) => unknown
interface SendingPrototype {
  send: Send
}

/**
 * Instruments each SDK client of this process at its first `send`, if it sends to one of `endpoints`. All clients of an SDK inherit
 * `send` from one class, and a process can have several copies of it.
 * @param known clients that are instrumented, which grows
 * @returns a function that ends it for clients that have not sent yet
 */
export async function instrumentAll(
  instruments: Instruments,
  known: WeakSet<object>,
  endpoints: Endpoints,
  from: string | URL = join(process.cwd(), 'from-here.js'),
): Promise<() => void> {
  // A client may be instrumented for another cloud too: each passes on what is not its own.
  const set = `For${(sets += 1)}`
  const origins = new Set(Object.values(endpoints).map((url: string) => new URL(url).origin))
  const adopt = (client: SdkClient): void => {
    if (known.has(client)) return
    known.add(client)
    instrument(client, onlyFor(client, origins, instruments), set)
  }
  const owners = await sendersOf(endpoints, from)
  const undo = [...owners].map((owner) => intercept(owner, adopt))
  return () => {
    for (const restore of undo) restore()
  }
}

let sets = 0

function intercept(owner: SendingPrototype, adopt: (client: SdkClient) => void): () => void {
  const original = owner.send
  let isOn = true
  const send: Send = function (...args) {
    if (isOn) adopt(this)
    return Reflect.apply(original, this, args)
  }
  owner.send = send
  return () => {
    isOn = false
    // Another library may have wrapped it since.
    if (owner.send === send) owner.send = original
  }
}

async function sendersOf(
  endpoints: Endpoints,
  from: string | URL,
): Promise<ReadonlySet<SendingPrototype>> {
  const owners = new Set<SendingPrototype>()
  for (const [service, [name, client]] of Object.entries(PACKAGES)) {
    if (!(service in endpoints)) continue
    for (const module of await copiesOf(name, from)) {
      const owner = senderOf(isObject(module) ? module[client] : undefined)
      if (owner !== undefined) owners.add(owner)
    }
  }
  return owners
}

/** As our own code, as the file's `import`, and as its `require` load it: often one and the same. A test of jest has no `import()`. */
async function copiesOf(name: string, from: string | URL): Promise<readonly unknown[]> {
  const requires = [import.meta.url, from].map((file) => createRequire(file))
  const paths = requires.flatMap((require) => {
    try {
      return [[require, require.resolve(name)] as const]
    } catch {
      return []
    }
  })
  const addresses = [name, ...paths.map(([, path]) => pathToFileURL(path).href)]
  const loading = addresses.map((each): Promise<unknown> => import(each).catch(() => undefined))
  const required = paths.map(([require, path]): unknown => require(path))
  return [...required, ...(await Promise.all(loading))]
}

/** The class on the prototype chain that has `send` of its own. */
function senderOf(client: unknown): SendingPrototype | undefined {
  let prototype: unknown = typeof client === 'function' ? client.prototype : undefined
  while (typeof prototype === 'object' && prototype !== null) {
    if (Object.hasOwn(prototype, 'send')) return prototype as SendingPrototype
    prototype = Object.getPrototypeOf(prototype)
  }
  return undefined
}

/** Its endpoint may come from the environment, and is known only when it is asked for. */
function onlyFor(
  client: SdkClient,
  origins: ReadonlySet<string>,
  instruments: Instruments,
): Instruments {
  let asked: Promise<boolean> | undefined
  const isLocal = (input: { readonly QueueUrl?: string }): Promise<boolean> | boolean => {
    // Without an endpoint of its own, a client of SQS sends to the URL of the queue.
    if (input.QueueUrl !== undefined && origins.has(originOf(input.QueueUrl))) return true
    return (asked ??= endpointOf(client).then((url) => origins.has(originOf(url))))
  }
  const guarded =
    (middleware: SdkMiddleware): SdkMiddleware =>
    (next, context) => {
      const instrumented = middleware(next, context)
      return async (call) => ((await isLocal(call.input)) ? instrumented(call) : next(call))
    }
  return instruments.map((each) => ({ ...each, middleware: guarded(each.middleware) }))
}

async function endpointOf({ config }: SdkClient): Promise<string> {
  const given = config?.isCustomEndpoint === true ? await config.endpoint?.() : undefined
  if (given === undefined) return (await config?.serviceConfiguredEndpoint?.()) ?? ''
  const { protocol, hostname, port } = given
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : ''
}
