import type { LocalCloud } from '../cloud/localCloud.ts'
import type { CloudDescription } from '../description/description.ts'
import type { Environment, OutsideUrls } from './definition.ts'

/** A variable for each part of the cloud and each outside system, such as `ORDERS_QUEUE`. */
export function environmentOf(
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
