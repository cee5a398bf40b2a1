import type { Bar, Drawn, LaneMark } from './waterfallLayout.ts'

/** The word of a bar for its tone and glyph. */
export function barLook({ kind, outcome, open }: Bar): string {
  if (kind !== 'attempt') return kind === 'lease' ? 'lost' : 'waiting'
  return outcome ?? (open ? 'running' : '')
}

/** The same glyphs wherever a thing is shown. */
export const GLYPHS = {
  effect: '◆',
  call: '●',
  callUnknown: '?',
  callNotMade: '○',
  send: '➤',
  dropped: '▲',
  deferred: '△',
  deadLettered: '✖',
  operator: '✎',
  other: '·',
} as const

type AnyMark = Pick<LaneMark, 'kind' | 'state'> | Pick<Bar['marks'][number], 'kind' | 'state'>

function markName({ kind, state }: AnyMark): keyof typeof GLYPHS {
  switch (kind) {
    case 'effect':
    case 'send':
    case 'dropped':
    case 'deferred':
    case 'deadLettered':
    case 'operator':
      return kind
    case 'call':
      return state === 'unknown' ? 'callUnknown' : state === 'notMade' ? 'callNotMade' : 'call'
    case 'died':
      return 'deadLettered'
    default:
      return 'other'
  }
}

export function markGlyph(mark: AnyMark): string {
  return GLYPHS[markName(mark)]
}

/** What the glyphs mean. */
export const MEANINGS: Readonly<Record<keyof typeof GLYPHS, string>> = {
  effect: 'effect',
  call: 'call made',
  callUnknown: 'call, outcome unknown',
  callNotMade: 'call not made',
  send: 'sent',
  dropped: 'copy dropped',
  deferred: 'copy deferred',
  deadLettered: 'dead letter',
  operator: 'operator',
  other: 'other event',
}

/** Those that occur. */
export function marksIn({ bars, marks }: Drawn): ReadonlySet<keyof typeof GLYPHS> {
  return new Set([...bars.flatMap((bar) => bar.marks), ...marks].map(markName))
}
