import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'

export interface CacheResult {
  readonly regions: number
  readonly triggers: number
  readonly rebuilds: number
  /** Distinct Complete messages: one for each rebuild. */
  readonly announced: number
  /** Regions whose cache does not show the newest source. */
  readonly outdated: number
}

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }
const CHANGES = 6

/** The source of each region changes six times, and each change triggers a rebuild while another one is running. */
export async function run(
  regions: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<CacheResult> {
  await using cloud = await startLocalCloud({
    queues: { rebuild: QUEUE, announce: QUEUE, rebuilt: {}, dead: {} },
    tables: {
      lineclear: tableDefinition(),
      source: { hash: 'region' },
      cache: { hash: 'region' },
      rebuilds: { hash: 'region' },
    },
  })
  Object.assign(process.env, cloud.environment, {
    REBUILD_QUEUE: cloud.queueUrl('rebuild'),
    ANNOUNCE_QUEUE: cloud.queueUrl('announce'),
    REBUILT_QUEUE: cloud.queueUrl('rebuilt'),
  })
  const { prices, rebuild, announce } = await import('./handler.ts')
  const common = { cloud, functionTimeout: '3s', faults: FAULTS } as const
  const mappings = [
    mapQueue({ ...common, queue: 'rebuild', handler: rebuild }),
    mapQueue({ ...common, queue: 'announce', handler: announce }),
  ]
  say(`The prices of ${regions} regions change ${CHANGES} times each …`)
  for (let version = 1; version <= CHANGES; version++) {
    for (let number = 1; number <= regions; number++) {
      const region = `region-${number}`
      const Item = { region: { S: region }, version: { N: `${version}` } }
      await cloud.dynamodb.send(new PutItemCommand({ TableName: 'source', Item }))
      await prices.start({ region, changedAt: new Date().toISOString() })
    }
  }
  await untilQuiet(mappings)

  const cache = await rowsOf(cloud, 'cache')
  const rebuilds = await rowsOf(cloud, 'rebuilds')
  const announcements = cloud.inspectQueue('rebuilt').ready.map(({ body }) => body)
  const result = {
    regions,
    triggers: regions * CHANGES,
    rebuilds: rebuilds.reduce((sum, { count }) => sum + Number(count), 0),
    announced: new Set(announcements).size,
    outdated: cache.filter(({ version }) => version !== CHANGES).length,
  }
  say(
    `${result.triggers} triggers: ${result.rebuilds} rebuilds, ${result.announced} announced, ${result.outdated} caches out of date.`,
  )
  await keep(cloud)
  return result
}
