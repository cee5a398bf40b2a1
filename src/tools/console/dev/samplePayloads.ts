import type { Described } from './protocol.ts'
import type { DevSample, DevSent } from './types.ts'

interface Known extends Pick<Described, 'samples'> {
  /** Newest first. */
  readonly sent: readonly Pick<DevSent, 'to' | 'payload'>[]
}

/** What to offer for a queue or a topic: the sample of FILE, else what was sent last. */
export function samplePayload(
  { samples, sent }: Known,
  to: string,
): Pick<DevSample, 'payload' | 'from'> {
  const own = samples[to]
  if (own !== undefined) return { payload: own.payload, from: 'file' }
  const last = sent.find((each) => each.to === to)
  return last === undefined ? {} : { payload: last.payload, from: 'sent' }
}
