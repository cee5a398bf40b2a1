import { lookOf, type Tone, wordsOf } from './tones.ts'

/** A state by glyph and word; the colour only repeats them. `tone`: where the state alone does not say how bad it is. */
export function Status({ of, tone }: { readonly of: string; readonly tone?: Tone | undefined }) {
  const look = lookOf(of)
  return (
    <span class={`status tone-${tone ?? look.tone}`}>
      <span class="glyph" aria-hidden="true">
        {look.glyph}
      </span>
      {wordsOf(of)}
    </span>
  )
}
