import { ConfigError } from '../../../library/base/errors.ts'
import { checkDescription, type CloudDescription } from '../description/description.ts'
import type { InspectedQueue } from '../engines/queueContents.ts'
import { variableOf, destroyClients, type Endpoints, makeClients } from '../sdk/clients.ts'
import { type Disposers, openCloud, type LocalCloud } from './openCloud.ts'
import { makeInstruments } from './instruments.ts'

/**
 * A local cloud that another process has started, for mappings and handlers in this one: with clients of its own, whose calls can be
 * observed and get the faults of a mapping in this process. `stop` stops the mappings of this process, and the cloud stays.
 *
 * Conflicts and stale reads follow from the writes of this process.
 * @param description as it was given to `startLocalCloud`
 * @param endpoints those of the started cloud. Default: from the variables of its `environment`, in this process
 * @throws ConfigError when the description is wrong, or needs a service that has no endpoint
 * @example
 * // const child = fork('handlers.js', { env: { ...process.env, ...cloud.environment } })
 * const cloud = await joinLocalCloud({ queues: { orders: {} }, tables: { lineclear: tableDefinition() } })
 * await cloud.instrumentAll(import.meta.url)
 * const handler = recordHandler({ name: 'orders', store: dynamoDbStore({ tableName: 'lineclear' }) }, work)
 * mapQueue({ cloud, queue: 'orders', handler })
 */
export async function joinLocalCloud(
  description: CloudDescription,
  endpoints: Endpoints = endpointsIn(process.env),
): Promise<LocalCloud> {
  checkDescription(description)
  const needed = endpointsNeeded(description, endpoints)
  const clients = await makeClients(needed)
  const disposers: Disposers = [async () => destroyClients(clients)]
  const { sqs } = needed
  return openCloud(description, {
    endpoints: needed,
    clients,
    disposers,
    instruments: makeInstruments(description, needed, disposers),
    look: sqs === undefined ? undefined : (queue) => lookOverTheWire(sqs, queue),
    stopped: () => {},
  })
}

function endpointsIn(environment: NodeJS.ProcessEnv): Endpoints {
  return Object.fromEntries(
    SERVICES.flatMap((service) => {
      const url = environment[variableOf(service)]
      return url ? [[service, url]] : []
    }),
  )
}

const SERVICES = ['sqs', 'sns', 'eventBridge', 'dynamodb', 's3'] as const

/** An endpoint of AWS itself must not be taken for a local one: the mapping would consume real queues. */
function endpointsNeeded(description: CloudDescription, given: Endpoints): Endpoints {
  const { queues = {}, topics = {}, buses = {}, tables = {}, buckets = [] } = description
  const lists = { sqs: queues, sns: topics, eventBridge: buses, dynamodb: tables, s3: buckets }
  const used = SERVICES.filter((service) => Object.keys(lists[service]).length > 0)
  for (const service of used) {
    const url = given[service]
    if (url !== undefined && isOnThisMachine(url)) continue
    throw new ConfigError(
      `joinLocalCloud: endpoints.${service}: expected the URL of a local cloud on this machine, got ${JSON.stringify(url)}. Give cloud.endpoints of the process that has started it, or start this process with its cloud.environment`,
    )
  }
  return Object.fromEntries(SERVICES.flatMap((one) => (given[one] ? [[one, given[one]]] : [])))
}

function isOnThisMachine(url: string): boolean {
  return URL.canParse(url) && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)
}

/** fauxqs shows the messages of a queue without receiving them. */
async function lookOverTheWire(endpoint: string, queue: string): Promise<InspectedQueue> {
  const response = await fetch(`${endpoint}/_fauxqs/queues/${encodeURIComponent(queue)}`)
  if (!response.ok) throw new ConfigError(`queueContents: ${queue}: ${await response.text()}`)
  return (await response.json()) as InspectedQueue
}
