import { lookOf, wordsOf } from '../parts/tones.ts'
import { barLook, GLYPHS, marksIn, MEANINGS } from './looks.ts'
import type { Drawn } from './waterfallLayout.ts'

/** What the shapes that occur mean. */
export function Legend({ of }: { readonly of: Drawn }) {
  const outcomes = new Set(of.bars.filter(({ kind }) => kind === 'attempt').map(barLook))
  const kinds = new Set(of.bars.map(({ kind }) => kind))
  return (
    <ul class="legend">
      {[...outcomes].map((word) => {
        const { tone, glyph } = lookOf(word)
        return (
          <li key={word} class={`tone-${tone}`}>
            <span class="glyph" aria-hidden="true">
              {glyph}
            </span>
            attempt {word === '' ? 'ended' : wordsOf(word)}
          </li>
        )
      })}
      {kinds.has('delay') && <li>┄ delay</li>}
      {kinds.has('wait') && <li>▭ waits</li>}
      {kinds.has('lease') && <li>─┤ lease of a lost attempt</li>}
      {[...marksIn(of)].map((name) => (
        <li key={name}>
          <span class="glyph" aria-hidden="true">
            {GLYPHS[name]}
          </span>
          {MEANINGS[name]}
        </li>
      ))}
    </ul>
  )
}
