import type { EnvelopeFormat, EventFormat } from './envelope.ts'
import type { Topics } from './readEnvelope.ts'

/** The topics that the option `envelopes` names. One `'any'` admits all. */
export function topicsOf(formats: readonly EnvelopeFormat[] | undefined): Topics {
  const named = formats?.flatMap((format) => ('topics' in format ? [format.topics] : [])) ?? []
  if (named.includes('any')) return 'any'
  return named.length === 0 ? undefined : named.flat()
}

/** The events of services that the option `envelopes` opens. */
export function eventFormatsOf(
  formats: readonly EnvelopeFormat[] | undefined,
): readonly EventFormat[] | undefined {
  const events = formats?.flatMap((format) => ('open' in format ? [format] : [])) ?? []
  return events.length === 0 ? undefined : events
}
