import { ConfigError } from '../../../base/errors.ts'
import { isObject } from '../../../base/kindOf.ts'
import { type CloudDescription, checkDescription } from '../description/description.ts'
import { checkIs, refuseUnknown } from '../../queues/checkQueues.ts'
import { checkFaults } from '../faults/faults.ts'
import type { LocalCloud } from '../cloud/localCloud.ts'
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

/**
 * Checks what FILE exports, and adds what follows from it. Of what `defineDev` has made it makes the same again.
 * @throws ConfigError unless `dev` is what `defineDev` takes
 */
export function completeDev(dev: unknown): Dev {
  refuseUnknown('defineDev', dev, [
    'cloud',
    'consumers',
    'environment',
    'books',
    'samples',
    'outside',
  ])
  const given = dev as Partial<Dev>
  const { consumers, environment, books, samples, outside } = given
  checkIs('defineDev.consumers', isObject(consumers), 'an object of consumers by queue', consumers)
  for (const [queue, consumer] of Object.entries(consumers ?? {})) {
    checkConsumer(`consumers.${queue}`, consumer)
  }
  const cloud = cloudOf(given.cloud, consumers ?? {})
  const { queues = {}, topics = {} } = cloud
  for (const queue of Object.keys(consumers ?? {})) {
    checkIsKnown(`consumers.${queue}`, queue, 'queue', Object.keys(queues))
  }
  checkIs('defineDev.environment', isFunction(environment), 'a function', environment)
  for (const to of namesIn('samples', samples)) {
    checkIsKnown(`samples.${to}`, to, 'queue or topic', [
      ...Object.keys(queues),
      ...Object.keys(topics),
    ])
  }
  for (const name of namesIn('books', books)) checkBook(`books.${name}`, books?.[name])
  for (const name of namesIn('outside', outside)) checkOutside(`outside.${name}`, outside?.[name])
  return {
    ...given,
    consumers: consumers ?? {},
    cloud,
    environment: (running, urls) => ({
      ...environmentOf(cloud, running, urls),
      ...environment?.(running, urls),
    }),
  }
}

function cloudOf(given: DevCloud | undefined, consumers: Dev['consumers']): CloudDescription {
  checkIs(
    'defineDev.cloud',
    given === undefined || isObject(given),
    'what startLocalCloud takes',
    given,
  )
  namesIn('cloud.topics', given?.topics)
  namesIn('cloud.tables', given?.tables)
  const cloud = completeCloud(given ?? {}, consumers)
  checkDescription(cloud)
  return cloud
}

function checkOutside(where: string, system: unknown): void {
  refuseUnknown(where, system, ['answer'])
  const { answer } = system as OutsideSystem
  checkIs(`${where}.answer`, isFunction(answer), 'a function', answer)
}

const CONSUMER = [
  'load',
  'export',
  'batchSize',
  'window',
  'concurrency',
  'functionTimeout',
  'functionName',
  'reportBatchItemFailures',
  'faults',
]

/** What `mapQueue` takes too is checked there. */
function checkConsumer(where: string, consumer: unknown): void {
  refuseUnknown(where, consumer, CONSUMER)
  const { load, export: name, faults } = consumer as Partial<DevConsumer>
  checkIs(
    `${where}.load`,
    typeof load === 'function',
    "a function that loads the handler's module, such as () => import('./handler.ts')",
    load,
  )
  checkIs(`${where}.export`, name === undefined || typeof name === 'string', 'a name', name)
  if (faults !== undefined) checkFaults(faults)
}

function checkBook(where: string, book: unknown): void {
  const check = isObject(book) ? book['atRest'] : book
  if (isObject(book)) refuseUnknown(where, book, ['atRest'])
  checkIs(where, typeof check === 'function', 'a function, or { atRest: a function }', check)
}

function namesIn(part: string, named: unknown): readonly string[] {
  checkIs(`defineDev.${part}`, named === undefined || isObject(named), 'an object', named)
  return Object.keys(named ?? {})
}

function checkIsKnown(where: string, name: string, kind: string, known: readonly string[]): void {
  if (known.includes(name)) return
  throw new ConfigError(
    `defineDev.${where}: the cloud has no ${kind} ${JSON.stringify(name)}; it has ${known.join(', ') || 'none'}`,
  )
}

function isFunction(value: unknown): boolean {
  return value === undefined || typeof value === 'function'
}

/** A variable for each part of the cloud and each outside system, such as `ORDERS_QUEUE`. */
function environmentOf(
  { queues = {}, topics = {}, tables = {}, buckets = [] }: CloudDescription,
  cloud: Pick<LocalCloud, 'queueUrl' | 'topicArn'>,
  outside: OutsideUrls,
): Environment {
  const itself = (name: string): string => name
  return {
    ...variables('QUEUE', Object.keys(queues), cloud.queueUrl),
    ...variables('TOPIC', Object.keys(topics), cloud.topicArn),
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
