import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

const reserved = new Map<string, string>()
let calls = 0

/** The first call finds the hotel's server down. An instrumentation of `fetch` would open this span. */
export async function reserve(tripId: string, price: number, key: string): Promise<string> {
  const span = trace.getTracer('hotel').startSpan('POST /rooms', { kind: SpanKind.CLIENT })
  try {
    calls += 1
    if (calls === 1) throw new Error('503 Service Unavailable')
    const room = reserved.get(key) ?? `room for ${tripId} at ${price}`
    reserved.set(key, room)
    return room
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}
