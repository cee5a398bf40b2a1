import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { rowsOf } from '../../../../examples/rows.ts'
import { started, type Course, type Place } from './course.ts'

const CHANGES = 6

/** Each region changes six times while its cache is rebuilt: the last change shows, and each rebuild is announced. */
export async function prices({ cloud, mark, count, example }: Place): Promise<Course> {
  const exported = await example(
    'cache-rebuild/handler.ts',
    import('../../../../examples/cache-rebuild/handler.ts'),
  )
  const regions = Array.from({ length: Math.ceil(count / CHANGES) }, (_, nth) => `${mark}-${nth}`)
  const ours = async (table: string) =>
    (await rowsOf(cloud, table)).filter(({ region }) => regions.includes(String(region)))
  return {
    handlers: { rebuild: exported.rebuild, announce: exported.announce },
    async send() {
      for (let version = 1; version <= CHANGES; version++) {
        for (const region of regions) {
          const Item = { region: { S: region }, version: { N: `${version}` } }
          await cloud.dynamodb.send(new PutItemCommand({ TableName: 'source', Item }))
          const change = { region, changedAt: new Date().toISOString() }
          await started((as) => exported.prices.start(change, as))
        }
      }
    },
    async books() {
      const caches = await ours('cache')
      const rebuilds = (await ours('rebuilds')).reduce((sum, row) => sum + Number(row['count']), 0)
      const announced = cloud
        .inspectQueue('rebuilt')
        .ready.filter(({ body }) => body.includes(mark))
      return {
        wanted: { caches: regions.length, announced: rebuilds },
        had: {
          caches: caches.filter(({ version }) => version === CHANGES).length,
          announced: new Set(announced.map(({ body }) => body)).size,
        },
      }
    },
  }
}
