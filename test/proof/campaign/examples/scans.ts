import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { rowsOf } from '../../../../examples/rows.ts'
import type { Course, Place } from './course.ts'

const STOPS = 3

/** Scans arrive in any order and twice, and become events on a bus; behind it the parcel is where it was scanned last. */
export async function scans({ cloud, mark, count, example }: Place): Promise<Course> {
  const { handler } = await example(
    'eventbridge/scans.ts',
    import('../../../../examples/eventbridge/scans.ts'),
  )
  const QueueUrl = cloud.queueUrl('scans')
  const begun = Date.now() - STOPS * 1_000
  const made = Array.from({ length: STOPS }, (_, stop) =>
    Array.from({ length: count }, (__, number) => ({
      parcelId: `scanned-${mark}-${number}`,
      place: `stop ${stop}`,
      scannedAt: new Date(begun + stop * 1_000).toISOString(),
    })),
  ).flat()
  return {
    handlers: { scans: handler },
    async send() {
      for (const scan of [...made.toReversed(), ...made]) {
        const MessageBody = JSON.stringify(scan)
        await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
      }
    },
    async books() {
      const rows = await rowsOf(cloud, 'parcels')
      const right = rows.filter(
        ({ parcelId, place }) =>
          String(parcelId).startsWith(`scanned-${mark}-`) && place === `stop ${STOPS - 1}`,
      )
      return { wanted: { scanned: count }, had: { scanned: right.length } }
    },
  }
}
