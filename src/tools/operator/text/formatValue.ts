import type { Value } from '../../../store/store.ts'
import type { Envelope } from '../../../record/envelope/envelope.ts'

/** An attribute as text; a set as a list. */
export function formatValue(value: Value | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'object' ? [...value].join(', ') : String(value)
}

const TEXT = /^lineclear: the payload is at (\S{1,1200}) \(\d+ bytes\)$/

/** Where the payload of a message is that does not carry it, as its sender says. undefined: the message carries it. */
export function payloadPlace({ carried, body }: Envelope): string | undefined {
  const { payload } = carried
  if (payload === undefined) return undefined
  const [, place = `elsewhere, sha256 ${payload.sha256}`] = TEXT.exec(body) ?? []
  return `${place} (${payload.bytes} bytes)`
}
