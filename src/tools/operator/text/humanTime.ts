import type { Value } from '../../../library/protocol/store/store.ts'
import type { Envelope } from '../../../library/protocol/record/envelope/envelope.ts'

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** `3 min`, `2 days`, `1 hour 59 min`, `less than 1 s`. Fewer than three of a unit show the next smaller one, too. Milliseconds. */
export function formatDuration(milliseconds: number): string {
  const at = UNITS.findIndex(([, size]) => milliseconds >= size)
  const [unit, size] = UNITS[at] ?? ['s', 0]
  if (size === 0) return 'less than 1 s'
  const many = Math.floor(milliseconds / size)
  const [small, least] = UNITS[at + 1] ?? ['s', 0]
  const rest = least === 0 || many >= FEW ? 0 : Math.floor((milliseconds % size) / least)
  return rest === 0 ? counted(many, unit) : `${counted(many, unit)} ${counted(rest, small)}`
}

/** Below it a whole unit is much. */
const FEW = 3

function counted(many: number, unit: string): string {
  return `${many} ${(unit === 'day' || unit === 'hour') && many > 1 ? `${unit}s` : unit}`
}

/** `3 min ago`, `in 2 hours`. Epoch milliseconds. */
export function formatRelative(time: number, now: number): string {
  return time > now ? `in ${formatDuration(time - now)}` : `${formatDuration(now - time)} ago`
}

/** ISO time and distance from now. Epoch milliseconds. */
export function formatTime(time: number, now: number): string {
  return `${new Date(time).toISOString()} (${formatRelative(time, now)})`
}

/** An attribute as text; a set as a list. */
export function formatValue(value: Value | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'object' ? [...value].join(', ') : String(value)
}

/** The value if it is a non-empty text. Attributes and log fields may hold anything. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A time that is stored as ISO 8601. Epoch milliseconds; undefined: there is none that can be read. */
export function timeIn(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** A time that is stored in epoch seconds, as `ttl`. Epoch milliseconds. */
export function secondsIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value * 1_000 : undefined
}

const TEXT = /^lineclear: the payload is at (\S{1,1200}) \(\d+ bytes\)$/

/** Where the payload of a message is that does not carry it, as its sender says. undefined: the message carries it. */
export function payloadPlace({ carried, body }: Envelope): string | undefined {
  const { payload } = carried
  if (payload === undefined) return undefined
  const [, place = `elsewhere, sha256 ${payload.sha256}`] = TEXT.exec(body) ?? []
  return `${place} (${payload.bytes} bytes)`
}
