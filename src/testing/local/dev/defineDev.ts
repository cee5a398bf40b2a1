import { ConfigError } from '../../../errors.ts'
import { isObject } from '../../../kindOf.ts'
import type { CloudDescription } from '../description/description.ts'
import { checkDescription } from '../description/checkDescription.ts'
import { checkIs, refuseUnknown } from '../../queues/checkOptions.ts'
import { checkFaults } from '../faults/faults.ts'
import type { Dev, DevConsumer, Sample } from './definition.ts'

type NamesOf<Part> = Part extends object ? keyof Part & string : never

/** `Dev`, with names that the cloud has. */
export type DevOf<Cloud extends CloudDescription> = Omit<Dev, 'cloud' | 'consumers' | 'samples'> & {
  readonly cloud: Cloud
  readonly consumers: { readonly [Queue in NamesOf<Cloud['queues']>]?: DevConsumer }
  readonly samples?: {
    readonly [To in NamesOf<Cloud['queues']> | NamesOf<Cloud['topics']>]?: Sample
  }
}

/**
 * Describes what `lineclear dev FILE` starts: the default export of FILE.
 * @throws ConfigError on an unknown option, a value that AWS would refuse, or a queue or topic that the cloud does not have
 * @example
 * export default defineDev({
 *   cloud: { queues: { orders: {} }, tables: { lineclear: tableDefinition() } },
 *   // Or, so that the environment is set before: load: () => import('./handler.ts')
 *   consumers: { orders: { load: async () => ({ handler }), functionTimeout: '3s' } },
 *   samples: { orders: (number) => ({ orderId: `order-${number}` }) },
 * })
 */
export function defineDev<const Cloud extends CloudDescription>(dev: DevOf<Cloud>): Dev {
  checkDev(dev)
  return dev
}

/** @throws ConfigError unless `dev` is what `defineDev` takes */
export function checkDev(dev: unknown): asserts dev is Dev {
  refuseUnknown('defineDev', dev, [
    'cloud',
    'consumers',
    'environment',
    'books',
    'samples',
    'outside',
  ])
  const { cloud, consumers, environment, books, samples, outside } = dev as Partial<Dev>
  checkIs('defineDev.cloud', isObject(cloud), 'what startLocalCloud takes', cloud)
  checkDescription(cloud as CloudDescription)
  const { queues = {}, topics = {} } = cloud as CloudDescription
  checkIs('defineDev.consumers', isObject(consumers), 'an object of consumers by queue', consumers)
  for (const [queue, consumer] of Object.entries(consumers as object)) {
    checkIsKnown(`consumers.${queue}`, queue, 'queue', Object.keys(queues))
    checkConsumer(`consumers.${queue}`, consumer)
  }
  checkIs('defineDev.environment', isFunction(environment), 'a function', environment)
  for (const to of namesIn('samples', samples)) {
    checkIsKnown(`samples.${to}`, to, 'queue or topic', [
      ...Object.keys(queues),
      ...Object.keys(topics),
    ])
  }
  for (const name of namesIn('books', books)) checkBook(`books.${name}`, books?.[name])
  for (const name of namesIn('outside', outside)) {
    refuseUnknown(`outside.${name}`, outside?.[name], ['answer'])
    checkIs(
      `outside.${name}.answer`,
      isFunction(outside?.[name]?.answer),
      'a function',
      outside?.[name]?.answer,
    )
  }
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
