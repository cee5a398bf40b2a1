import { Glyph } from '../parts/Status.tsx'
import type { Bar, Drawn, LaneMark } from './waterfallLayout.ts'
import { lookOf, wordsOf } from '../parts/statuses.ts'

/** What the shapes that occur mean. */
export function Legend({ of }: { readonly of: Drawn }) {
  const attempts = of.bars.filter(({ kind }) => kind === 'attempt').map(barLook)
  const outcomes = new Map(attempts.map((word) => [wordsOf(word), word]))
  const kinds = new Set(of.bars.map(({ kind }) => kind))
  return (
    <ul class="legend">
      {[...outcomes].map(([said, word]) => {
        const { tone, glyph } = lookOf(word)
        return (
          <li key={word} class={`tone-${tone}`}>
            <Glyph of={glyph} />
            attempt {word === '' ? 'ended' : said}
          </li>
        )
      })}
      {kinds.has('delay') && <li>┄ delay</li>}
      {kinds.has('wait') && <li>▭ waits</li>}
      {kinds.has('lease') && <li>─┤ lease of a lost attempt</li>}
      {[...marksIn(of)].map((name) => (
        <li key={name}>
          <Glyph of={GLYPHS[name]} />
          {MEANINGS[name]}
        </li>
      ))}
    </ul>
  )
}

/** The word of a bar for its tone and glyph. */
export function barLook({ kind, outcome, open }: Bar): string {
  if (kind !== 'attempt') return kind === 'lease' ? 'lost' : 'waiting'
  return outcome ?? (open ? 'running' : '')
}

/** The same glyphs wherever a thing is shown. */
const GLYPHS = {
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
const MEANINGS: Readonly<Record<keyof typeof GLYPHS, string>> = {
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
function marksIn({ bars, marks }: Drawn): ReadonlySet<keyof typeof GLYPHS> {
  return new Set([...bars.flatMap((bar) => bar.marks), ...marks].map(markName))
}
