import { sampleOf } from '../../../testing/local/dev/sampleOf.ts'
import type { Described, HandlersOf } from './protocol.ts'
import type { DevSample, DevSent } from './types.ts'

interface Known extends Pick<Described, 'cloud' | 'samples'> {
  readonly handlers: HandlersOf
  /** Newest first. */
  readonly sent: readonly Pick<DevSent, 'to' | 'payload'>[]
}

/** What to offer for a queue or a topic: the sample of FILE, else one from the schema of the consumer, else what was sent last. */
export function samplePayloads({ cloud, samples, handlers, sent }: Known) {
  return (to: string, kind: DevSample['kind']): Pick<DevSample, 'payload' | 'from'> => {
    const own = samples[to]
    if (own !== undefined) return { payload: own.payload, from: 'file' }
    const queues =
      kind === 'queue' ? [to] : (cloud.topics?.[to]?.subscriptions ?? []).map(({ queue }) => queue)
    const schema = queues.map((queue) => handlers[queue]?.[0]?.jsonSchema).find(Boolean)
    if (schema !== undefined) return { payload: sampleOf(schema), from: 'schema' }
    const last = sent.find((each) => each.to === to)
    return last === undefined ? {} : { payload: last.payload, from: 'sent' }
  }
}
