import type { Bar, Drawn } from './scale.ts'

/** The same glyphs wherever a thing is shown, and what they mean. */
const MARKS = {
  effect: ['◆', 'effect'],
  call: ['●', 'call made'],
  callUnknown: ['?', 'call, outcome unknown'],
  callNotMade: ['○', 'call not made'],
  send: ['➤', 'sent'],
  dropped: ['▲', 'copy dropped'],
  deferred: ['△', 'copy deferred'],
  deadLettered: ['✖', 'dead letter'],
  operator: ['✎', 'operator'],
  other: ['·', 'other event'],
} as const

type Name = keyof typeof MARKS
type AnyMark = Pick<Bar['marks'][number], 'kind' | 'state'>

function nameOf({ kind, state }: AnyMark): Name {
  if (kind === 'died') return 'deadLettered'
  if (kind === 'call' && state === 'unknown') return 'callUnknown'
  if (kind === 'call' && state === 'notMade') return 'callNotMade'
  return kind in MARKS ? (kind as Name) : 'other'
}

export function markGlyph(mark: AnyMark): string {
  return MARKS[nameOf(mark)][0]
}

/** Glyphs and meanings of the marks that occur. */
export function legendOf({
  bars,
  marks,
}: Drawn): readonly (readonly [glyph: string, means: string])[] {
  const names = new Set([...bars.flatMap((bar) => bar.marks), ...marks].map(nameOf))
  return [...names].map((name) => MARKS[name])
}
