import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { eventBridgeEvent } from 'lineclear/testing'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }

export interface ParcelsResult {
  readonly parcels: number
  readonly events: number
  readonly deliveries: number
  /** Parcels that are not where they went last. */
  readonly wrong: number
}

const PLACES = ['harbour', 'customs', 'depot', 'door']
const HOUR_MS = 3_600_000

/** Each parcel moves four times; the last event is queued first, and then all of them are replayed from an archive. */
export async function run(
  parcels: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<ParcelsResult> {
  await using cloud = await startLocalCloud({
    queues: { parcels: QUEUE, dead: {} },
    tables: { lineclear: tableDefinition(), parcels: { hash: 'parcelId' } },
  })
  Object.assign(process.env, cloud.environment)
  const { handler } = await import('./handler.ts')
  const [, , , , account = ''] = cloud.queueArn('parcels').split(':')
  const today = Date.now()
  const events = PLACES.toReversed().flatMap((place, moves) =>
    Array.from({ length: parcels }, (_, number) =>
      eventBridgeEvent(
        { parcelId: `parcel-${number}`, place },
        { source: 'my.parcels', detailType: 'ParcelMoved', account, time: today - moves * HOUR_MS },
      ),
    ),
  )
  const replayed = events.map((event) => ({ ...event, 'replay-name': 'to-be-sure' }))
  say(`${parcels} parcels move ${PLACES.length} times each, and every event is replayed …`)
  for (const event of [...events, ...replayed]) {
    const MessageBody = JSON.stringify(event)
    await cloud.sqs.send(
      new SendMessageCommand({ QueueUrl: cloud.queueUrl('parcels'), MessageBody }),
    )
  }
  const mapping = mapQueue({
    cloud,
    queue: 'parcels',
    handler,
    functionTimeout: '3s',
    faults: FAULTS,
  })
  await untilQuiet([mapping])

  const rows = await rowsOf(cloud, 'parcels')
  const result = {
    parcels,
    events: events.length,
    deliveries: mapping.counts.deliveries,
    wrong: parcels - rows.filter(({ place }) => place === PLACES.at(-1)).length,
  }
  say(`${result.deliveries} deliveries of ${result.events} events: ${result.wrong} wrong places.`)
  await keep(cloud)
  return result
}
