import { ConfigError } from '../../../base/errors.ts'
import { refuseUnknown } from '../../queues/checkOptions.ts'
import { checkQueues } from '../../queues/checkQueues.ts'
import type { CloudDescription, TableDescription } from './description.ts'

/** @throws ConfigError on an unknown option, a value that AWS would refuse, or a queue that is not described. */
export function checkDescription(description: CloudDescription): void {
  refuseUnknown('startLocalCloud', description, ['queues', 'topics', 'tables', 'buckets'])
  const { queues = {}, topics = {}, tables = {} } = description
  checkQueues(queues, topics)
  for (const [name, table] of Object.entries(tables)) checkTable(name, table)
  checkBuckets(description.buckets ?? [])
}

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const BUCKET = /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/

function checkBuckets(buckets: unknown): void {
  const isName = (name: unknown): boolean => typeof name === 'string' && BUCKET.test(name)
  if (Array.isArray(buckets) && buckets.every(isName)) return
  throw new ConfigError(
    `buckets: expected a list of names of 3 to 63 of a-z 0-9 . -, got ${JSON.stringify(buckets)}`,
  )
}

function checkTable(name: string, table: TableDescription): void {
  const where = `tables.${name}`
  if (!/^[A-Za-z0-9_.-]{3,255}$/.test(name)) {
    throw new ConfigError(`${where}: a table's name has 3 to 255 of A-Z a-z 0-9 _ - .`)
  }
  if ('hash' in table) return refuseUnknown(where, table, ['hash', 'range'])
  if (table.TableName === undefined || table.TableName === name) return
  throw new ConfigError(
    `${where}.TableName: expected ${JSON.stringify(name)}, as its place in the description says, got ${JSON.stringify(table.TableName)}`,
  )
}
