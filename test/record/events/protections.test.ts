import { absent, anyOf, atMost, type EventFormat, type OpenedEvent, recordHandler, s3Notifications } from 'lineclear'
import { type CrashCloud, eventBridgeEvent, exploreCrashes, s3Event } from 'lineclear/testing'
import { eventBridgeEvents } from 'lineclear'
import { describe, expect, it } from 'vitest'

/** The limit keeps the whole file within a second; a protection that is missing is found by far fewer. */
const LIMIT = 40
const uploads = s3Notifications({ buckets: ['my-uploads'] })
const upload = (sequencer: string, size: number) =>
  s3Event({ bucket: 'my-uploads', key: 'k', sequencer, size, eventTime: Date.UTC(2025, 0, 1) })

/** A format with one of its protections taken away. */
const without = (format: EventFormat, change: (opened: OpenedEvent) => OpenedEvent): EventFormat => ({
  open(body, queueArn) {
    const opened = format.open(body, queueArn)
    return opened && change(opened)
  },
})

/** Counts what is uploaded, and keeps what was uploaded last. */
function register(format: EventFormat, options: { guarded?: boolean } = {}) {
  const { guarded = true } = options
  return ({ store, sqs, sns, clock, logger }: CrashCloud) =>
    recordHandler(
      { name: 'uploads', store, sqs, sns, clock, logger, envelopes: [format], schema: uploads.schema },
      async ({ key, size = 0, sequencer = '' }, ctx) => {
        await ctx.applyOnce('count', { TableName: 'counts', Key: { key }, add: { n: 1 } })
        const guard = anyOf(absent('sequencer'), atMost('sequencer', sequencer))
        const write = { TableName: 'files', Key: { key }, set: { size, sequencer } }
        await ctx.update(guarded ? { ...write, guard } : write)
      },
    )
}

describe('a consumer of S3 under every schedule', () => {
  it('counts each event once, and ends with the last one', async () => {
    const report = await exploreCrashes(register(uploads), upload('0B', 2), {
      also: [upload('0B', 2), upload('0A', 1)],
      limit: LIMIT,
    })
    expect(report.text).toContain('nothing lost, doubled, stale or stuck')
  })
})
