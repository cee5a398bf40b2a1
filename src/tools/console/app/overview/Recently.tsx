import { clock, Time } from '../parts/Time.tsx'
import { Sparkline } from '../parts/Sparkline.tsx'
import { activity, frames, skipped, streamState, useStream } from '../stream/stream.ts'
import { MINUTES, type Tallied } from '../stream/tally.ts'

const SHOWN: readonly (readonly [of: Tallied, name: string, title: string])[] = [
  ['done', 'done', 'Messages that left their queue, duplicates of what was done included'],
  [
    'duplicates',
    'duplicates',
    'Messages that were dropped because their request was done or dead-lettered, as functions log it (level INFO)',
  ],
  ['again', 'redelivered', 'Messages that had been given to a function before'],
  ['retries', 'to be retried', 'Messages that stay on their queue, or of which a copy was sent'],
  ['dead', 'dead-lettered', 'By their function: what SQS moves by itself is not counted'],
]

/** What has become of messages, as far as live events tell. An account has none, and then nothing stands here. */
export function Recently() {
  useStream()
  // Read so that it is drawn again with each event.
  void frames.value
  const { tally } = activity
  if (tally.since === undefined || streamState.value === 'none') return null
  const now = clock.value
  return (
    <section>
      <h2 class="part-title">
        Last {MINUTES} minutes
        {tally.since > now - MINUTES * 60_000 && (
          <>
            , seen since <Time at={new Date(tally.since).toISOString()} />
          </>
        )}
        {skipped.value > 0 && `, ${skipped.value} events missed`}
      </h2>
      <ul class="recently">
        {SHOWN.map(([of, name, title]) => {
          const parts = tally.last(of, now)
          return (
            <li key={of} title={title}>
              <b>{parts.reduce((sum, each) => sum + each, 0).toLocaleString('en')}</b> {name}
              <Sparkline of={parts} label={`${name}, over ${MINUTES} minutes, the oldest first`} />
            </li>
          )
        })}
      </ul>
    </section>
  )
}
