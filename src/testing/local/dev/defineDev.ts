import { ConfigError } from '../../../library/base/errors.ts'
import {
  aFunction,
  anObject,
  anything,
  type Checks,
  checkOptions,
  required,
} from '../../../library/base/options.ts'
import { type CloudDescription, checkDescription } from '../description/description.ts'
import { aText } from '../../queues/checkQueues.ts'
import { checkFaults } from '../faults/faults.ts'
import type { LocalCloud } from '../cloud/openCloud.ts'
import { completeCloud } from './completeCloud.ts'
import type {
  Dev,
  DevCloud,
  DevConsumer,
  OutsideSystem,
  Sample,
  Environment,
  OutsideUrls,
} from './definition.ts'

type NamesOf<Part> = Part extends object ? keyof Part & string : never

/** The queues that topics deliver to, as far as they are lists of names. */
type DeliveredTo<Topics> = Topics extends object
  ? Extract<Topics[keyof Topics], readonly string[]>[number]
  : never

/** What `defineDev` takes: `Dev`, without what follows from the consumers, and with names that there are. */
export type DevOf<Cloud extends DevCloud, Queue extends string> = Omit<
  Dev,
  'cloud' | 'consumers' | 'samples'
> & {
  /** Default: what follows from the consumers. */
  readonly cloud?: Cloud
  readonly consumers: { readonly [Name in Queue]: DevConsumer }
  readonly samples?: {
    readonly [
      To in
        | NoInfer<Queue>
        | NamesOf<Cloud['queues']>
        | NamesOf<Cloud['topics']>
        | DeliveredTo<Cloud['topics']>
    ]?: Sample
  }
}

/**
 * Describes what `lineclear dev FILE` starts: the default export of FILE. The queues of the consumers, their dead-letter queues,
 * Lineclear's table and the environment variables are inferred where they are not given.
 * @throws ConfigError on an unknown option, a value that AWS would refuse, or a queue or topic that the cloud does not have
 * @example
 * export default defineDev({
 *   cloud: { topics: { placed: ['orders'] }, tables: { stock: { hash: 'sku' } } },
 *   // Or, so that the environment is set before: load: () => import('./handler.ts')
 *   consumers: { orders: { load: async () => ({ handler }), functionTimeout: '3s' } },
 *   samples: { orders: (number) => ({ orderId: `order-${number}` }) },
 * })
 */
export function defineDev<const Cloud extends DevCloud, const Queue extends string>(
  dev: DevOf<Cloud, Queue>,
): Dev {
  return completeDev(dev)
}

const WHO = 'defineDev'
/** The rest is checked as that of `startLocalCloud`, once it is complete. */
const CLOUD: Checks<DevCloud> = {
  queues: anObject,
  topics: anObject,
  buses: anObject,
  tables: anObject,
  buckets: anything,
}
const DEV: Checks<Dev> = {
  cloud: anObject,
  consumers: required({ ...anObject, expected: 'an object of consumers by queue' }),
  environment: aFunction('(cloud) => ({ NAME: value })'),
  books: anObject,
  samples: anObject,
  outside: anObject,
}
/** What `mapQueue` takes too is checked there. */
const CONSUMER: Checks<DevConsumer> = {
  load: required(aFunction("() => import('./handler.ts')")),
  export: aText,
  batchSize: anything,
  window: anything,
  concurrency: anything,
  functionTimeout: anything,
  functionName: anything,
  reportBatchItemFailures: anything,
  faults: anything,
}
const OUTSIDE: Checks<OutsideSystem> = {
  answer: aFunction('(request) => ({ id: request.number })'),
}
const BOOK = { atRest: required(aFunction('async ({ items }) => []')) }

/**
 * Checks what FILE exports, and adds what follows from it. The result of `defineDev` passes unchanged.
 * @throws ConfigError unless `dev` is what `defineDev` takes
 */
export function completeDev(dev: unknown): Dev {
  checkOptions(WHO, dev, DEV)
  const given = dev as Omit<Dev, 'cloud'> & { readonly cloud?: DevCloud }
  const { consumers, environment, books = {}, samples = {}, outside = {} } = given
  for (const [queue, consumer] of Object.entries(consumers)) {
    checkOptions(WHO, consumer, CONSUMER, `consumers.${queue}.`)
    if (consumer.faults !== undefined) checkFaults(consumer.faults)
  }
  checkOptions(WHO, given.cloud, CLOUD, 'cloud.')
  const cloud = completeCloud(given.cloud ?? {}, consumers)
  checkDescription(cloud)
  checkSamples(samples, Object.keys({ ...cloud.queues, ...cloud.topics }))
  for (const [name, book] of Object.entries(books)) {
    if (typeof book !== 'function') checkOptions(WHO, book, BOOK, `books.${name}.`)
  }
  for (const [name, system] of Object.entries(outside)) {
    checkOptions(WHO, system, OUTSIDE, `outside.${name}.`)
  }
  return {
    ...given,
    cloud,
    environment: (running, urls) => ({
      ...environmentOf(cloud, running, urls),
      ...environment?.(running, urls),
    }),
  }
}

function checkSamples(samples: object, known: readonly string[]): void {
  const name = Object.keys(samples).find((each) => !known.includes(each))
  if (name === undefined) return
  throw new ConfigError(
    `${WHO}.samples.${name}: the cloud has no queue or topic ${JSON.stringify(name)}; it has ${known.join(', ') || 'none'}`,
  )
}

/** A variable for each part of the cloud and each outside system, such as `ORDERS_QUEUE`. */
function environmentOf(
  { queues = {}, topics = {}, buses = {}, tables = {}, buckets = [] }: CloudDescription,
  cloud: Pick<LocalCloud, 'queueUrl' | 'topicArn' | 'busArn'>,
  outside: OutsideUrls,
): Environment {
  const itself = (name: string): string => name
  return {
    ...variables('QUEUE', Object.keys(queues), cloud.queueUrl),
    ...variables('TOPIC', Object.keys(topics), cloud.topicArn),
    ...variables('BUS', Object.keys(buses), cloud.busArn),
    ...variables('TABLE', Object.keys(tables), itself),
    ...variables('BUCKET', buckets, itself),
    ...variables('URL', Object.keys(outside), (name) => outside[name] ?? ''),
  }
}

function variables(
  kind: string,
  names: readonly string[],
  valueOf: (name: string) => string,
): Environment {
  return Object.fromEntries(names.map((name) => [`${variableOf(name)}_${kind}`, valueOf(name)]))
}

/** @example 'orders-dead.fifo' is ORDERS_DEAD */
function variableOf(name: string): string {
  return name
    .replace(/\.fifo$/, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase()
}
