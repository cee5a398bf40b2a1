import {
  absent,
  anyOf,
  atMost,
  eventBridge,
  type EventFormat,
  recordHandler,
  s3Events,
} from 'lineclear'
import {
  type CrashCloud,
  eventBridgeEvent,
  exploreCrashes,
  s3Notification,
} from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { consumerOf } from '../../deliver/consumerOf.ts'
import type { OpenedEvent } from '../../../src/library/protocol/record/envelope/envelope.ts'

const DAY = 86_400_000
const uploads = s3Events({ buckets: ['my-uploads'] })
const upload = (sequencer: string, size: number) =>
  s3Notification({
    bucket: 'my-uploads',
    key: 'k',
    sequencer,
    size,
    eventTime: Date.UTC(2025, 0, 1),
  })

/** Takes a protection away from a format. */
type Change = (opened: OpenedEvent) => OpenedEvent

const changed = (format: EventFormat, change: Change): EventFormat => ({
  open(body, queueArn) {
    const opened = format.open(body, queueArn, Date.now())
    return opened && change(opened)
  },
})

const changeEvent =
  (changes: (event: NonNullable<OpenedEvent['event']>) => object): Change =>
  ({ event, ...opened }) => ({
    ...opened,
    ...(event && { event: { ...event, ...changes(event) } }),
  })

let count = 0
const noIdentity = changeEvent(() => ({ id: `made-${(count += 1)}` }))
const noFingerprint = changeEvent(() => ({ fingerprint: '' }))
const noAge = changeEvent(({ takenAt: _none, ...rest }) => ({ ...rest, takenAt: undefined }))

/** What happens to two messages, one after the other. */
async function play(format: EventFormat, bodies: (now: number) => readonly object[]) {
  let runs = 0
  const { clock, deliver, send, reasons } = consumerOf(() => void (runs += 1), {
    envelopes: [format],
  })
  for (const body of bodies(clock.now())) await deliver(send(JSON.stringify(body)))
  return { runs, dead: reasons() }
}

const placed = (orderId: string, options: object = {}) =>
  eventBridgeEvent({ orderId }, { source: 'my.shop', detailType: 'Placed', id: 'e-1', ...options })

const EVENTS = eventBridge()

/** Each protection: what it is for, what happens with it, and what happens without it. */
const PROTECTIONS: readonly (readonly [
  what: string,
  EventFormat,
  Change,
  bodies: (now: number) => readonly object[],
  kept: object,
  broken: object,
])[] = [
  [
    'the identity of an event: a rule that fires twice runs once',
    EVENTS,
    noIdentity,
    () => [placed('o-1'), placed('o-1')],
    { runs: 1, dead: [] },
    { runs: 2, dead: [] },
  ],
  [
    'the identity of a notification: what S3 sends twice runs once',
    uploads,
    noIdentity,
    () => [upload('0A', 1), upload('0A', 1)],
    { runs: 1, dead: [] },
    { runs: 2, dead: [] },
  ],
  [
    'the fingerprint: a forged event suppresses no other in silence',
    EVENTS,
    noFingerprint,
    () => [placed('forged'), placed('o-1')],
    { runs: 1, dead: ['conflict'] },
    { runs: 1, dead: [] },
  ],
  [
    'the age of a replay: an event whose token is gone does not run again',
    EVENTS,
    noAge,
    (now) => [placed('o-1', { time: now - 31 * DAY, replayName: 'r' })],
    { runs: 0, dead: ['too old'] },
    { runs: 1, dead: [] },
  ],
]

describe('a protection', () => {
  it.each(PROTECTIONS)('%s', async (_what, format, change, bodies, kept, broken) => {
    expect(await play(format, bodies)).toEqual(kept)
    expect(await play(changed(format, change), bodies)).toEqual(broken)
  })
})

/** A register of the files, in which the last upload stands, and which counts uploads. */
function register({ format = uploads as EventFormat, guarded = true }) {
  const common = { name: 'uploads', envelopes: [format], schema: uploads.schema }
  return ({ store, clients, clock, logger }: CrashCloud) =>
    recordHandler(
      { ...common, store, clients, clock, logger },
      async ({ key, size = 0, sequencer = '' }, ctx) => {
        await ctx.write('count', { TableName: 'counts', Key: { key }, add: { n: 1 } })
        const write = { TableName: 'files', Key: { key }, set: { size, sequencer } }
        const guard = anyOf(absent('sequencer'), atMost('sequencer', sequencer))
        await ctx.write('register', guarded ? { ...write, guard } : write)
      },
    )
}

/** Under the schedules of one fault, with a second invocation beside. */
const explore = async (options: Parameters<typeof register>[0], record: object, also: object[]) =>
  (await exploreCrashes(register(options), record, { also, limit: 60 })).text

describe('a register of files, in every schedule of faults', () => {
  it('counts each upload once and shows the last one, however its notifications come', async () => {
    const sound = 'nothing lost, doubled, stale or stuck'
    expect(await explore({}, upload('0A', 1), [upload('0B', 2)])).toContain(sound)
  })

  it('without its guard is found to show an older upload', async () => {
    const found = await explore({ guarded: false }, upload('0A', 1), [upload('0B', 2)])
    expect(found).toMatch(/stale|doubled|lost/)
    expect(found).toContain('the row files')
  })
})
