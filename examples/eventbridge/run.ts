import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }

export interface ParcelsResult {
  readonly parcels: number
  readonly scans: number
  readonly deliveries: number
  /** Requests of the consumer behind the bus: one for each scan, however often its event was put. */
  readonly moves: number
  /** Parcels that are not where they went last. */
  readonly wrong: number
}

const PLACES = ['harbour', 'customs', 'depot', 'door']
const HOUR_MS = 3_600_000

/** Each parcel is scanned four times. The last scan is sent first, and each twice; scans → bus → rule → parcels. */
export async function run(
  parcels: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<ParcelsResult> {
  await using cloud = await startLocalCloud({
    queues: { scans: QUEUE, parcels: QUEUE, dead: {} },
    buses: { shop: { rules: [{ queue: 'parcels', sources: ['my.parcels'] }] } },
    tables: { lineclear: tableDefinition(), parcels: { hash: 'parcelId' } },
  })
  Object.assign(process.env, cloud.environment, { EVENT_BUS_ARN: cloud.busArn('shop') })
  await cloud.instrumentAll(import.meta.url)
  const { handler } = await import('./handler.ts')
  const { handler: scanned } = await import('./scans.ts')
  const today = Date.now()
  const scans = PLACES.toReversed().flatMap((place, moves) =>
    Array.from({ length: parcels }, (_, number) => ({
      parcelId: `parcel-${number}`,
      place,
      scannedAt: new Date(today - moves * HOUR_MS).toISOString(),
    })),
  )
  say(`${parcels} parcels are scanned ${PLACES.length} times, and every scan is sent twice …`)
  for (const scan of [...scans, ...scans]) {
    const MessageBody = JSON.stringify(scan)
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl: cloud.queueUrl('scans'), MessageBody }))
  }
  const mapped = { cloud, functionTimeout: '3s', faults: FAULTS } as const
  const mappings = [
    mapQueue({ ...mapped, queue: 'scans', handler: scanned }),
    mapQueue({ ...mapped, queue: 'parcels', handler }),
  ]
  await untilQuiet(mappings)

  const rows = await rowsOf(cloud, 'parcels')
  const tokens = await rowsOf(cloud, 'lineclear')
  const result = {
    parcels,
    scans: scans.length,
    deliveries: mappings.reduce((sum, { counts }) => sum + counts.deliveries, 0),
    moves: tokens.filter(({ pk }) => String(pk).includes('parcels')).length,
    wrong: parcels - rows.filter(({ place }) => place === PLACES.at(-1)).length,
  }
  say(`${result.deliveries} deliveries; ${result.moves} moves for ${result.scans} scans.`)
  say(`Wrong places: ${result.wrong}.`)
  await keep(cloud)
  return result
}
