import { useState } from 'preact/hooks'
import type { DevSample, SendBody } from '../../dev/index.ts'
import { Failure } from '../parts/standIns.tsx'
import { toast } from '../parts/toast.tsx'
import { href } from '../route.ts'
import { lastSent, send } from './sending.ts'
import { useTry } from './useTry.ts'
import { jsonProblem, remembered, targetsOf } from './drafts.ts'

/** Sends a sample, or what was sent last, by one click. */
export function QuickSend({ samples }: { readonly samples: readonly DevSample[] }) {
  const [chosen, choose] = useState('')
  const { busy, failure, run } = useTry()
  const targets = targetsOf(samples)
  const sample = targets.find(({ to }) => to === chosen) ?? targets[0]
  if (sample === undefined) return null
  const { to, kind, topics, from } = sample
  const ship = (how: Partial<SendBody>): void =>
    run(async () => {
      await send({ to, ...payloadFor(sample), ...how })
      const { value: sent } = lastSent
      toast(sent.length === 1 ? `Sent ${sent[0]?.request ?? ''}` : `Sent ${sent.length}`)
    })
  // What a schema made is sent only from the page that shows it.
  const isReady = from === 'file' || remembered(to) !== undefined
  return (
    <div class="quick-send">
      <select
        aria-label="Queue or topic"
        value={to}
        onChange={({ currentTarget: { value } }) => choose(value)}
      >
        {targets.map(({ to: name, kind: of }) => (
          <option key={`${of} ${name}`} value={name}>
            {of === 'topic' ? `topic ${name}` : name}
          </option>
        ))}
      </select>
      <button type="button" class="main" disabled={busy || !isReady} onClick={() => ship({})}>
        Send
      </button>
      <button type="button" disabled={busy || !isReady} onClick={() => ship({ times: 10 })}>
        × 10
      </button>
      <button type="button" disabled={busy || !isReady} onClick={() => ship({ twice: true })}>
        twice
      </button>
      {kind === 'queue' && topics.length > 0 && (
        <button type="button" disabled={busy || !isReady} onClick={() => ship({ bySns: true })}>
          by SNS
        </button>
      )}
      <a href={href('/send', { to })}>{isReady ? 'another payload …' : 'type a payload …'}</a>
      {failure !== undefined && <Failure of={failure} />}
    </div>
  )
}

/** What was typed goes before the sample of the file. */
function payloadFor({ to }: DevSample): Pick<SendBody, 'payload'> {
  const text = remembered(to)
  if (text === undefined || jsonProblem(text) !== undefined) return {}
  return { payload: JSON.parse(text) as unknown }
}
