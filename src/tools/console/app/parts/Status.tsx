import { Text } from './Text.tsx'
import { lookOf, type Tone, wordsOf } from './statuses.ts'

interface StatusProps {
  /** The word of a command. @example 'inProgress' */
  readonly of: string
  /** Where the state alone does not say how bad it is. */
  readonly tone?: Tone | undefined
  /** It should have gone on by now. */
  readonly isLate?: boolean
}

/** A state by glyph and word; the colour only repeats them. */
export function Status({ of, tone, isLate = false }: StatusProps) {
  const look = lookOf(isLate ? 'overdue' : of)
  return (
    <span class={`status tone-${tone ?? look.tone}`}>
      <span class="glyph" aria-hidden="true">
        {look.glyph}
      </span>
      <Text of={wordsOf(of)} />
      {isLate && ', late'}
    </span>
  )
}
