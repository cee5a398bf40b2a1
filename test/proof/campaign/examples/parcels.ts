import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { rowsOf } from '../../../../examples/rows.ts'
import { eventBridgeEvent } from '../../../../src/testing/index.ts'
import type { Course, Place } from './course.ts'

const STOPS = 3

/** The events of a parcel arrive in any order, and each of them twice: it is where it was last. */
export async function parcels({ cloud, mark, count, example }: Place): Promise<Course> {
  const { handler } = await example(
    'eventbridge/handler.ts',
    import('../../../../examples/eventbridge/handler.ts'),
  )
  const QueueUrl = cloud.queueUrl('parcels')
  const [, , , , account = ''] = cloud.queueArn('parcels').split(':')
  const begun = Date.now() - STOPS * 1_000
  const events = Array.from({ length: STOPS }, (_, stop) =>
    Array.from({ length: count }, (__, number) =>
      eventBridgeEvent(
        { parcelId: `${mark}-${number}`, place: `stop ${stop}` },
        { source: 'my.parcels', detailType: 'ParcelMoved', account, time: begun + stop * 1_000 },
      ),
    ),
  ).flat()
  return {
    handlers: { parcels: handler },
    async send() {
      for (const event of [...events.toReversed(), ...events]) {
        const MessageBody = JSON.stringify(event)
        await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
      }
    },
    async books() {
      const right = (await rowsOf(cloud, 'parcels')).filter(
        ({ parcelId, place }) =>
          String(parcelId).startsWith(`${mark}-`) && place === `stop ${STOPS - 1}`,
      )
      return { wanted: { parcels: count }, had: { parcels: right.length } }
    },
  }
}
