import type { ComponentChildren } from 'preact'
import { type StatusLook, lookOf, type Tone, wordsOf } from './statuses.ts'

/** A sign beside words that say the same: who reads by ear does not need it. */
export function Glyph({ of }: { readonly of: string }) {
  return (
    <span class="glyph" aria-hidden="true">
      {of}
    </span>
  )
}

interface StatusProps {
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
    <Looks like={{ ...look, ...(tone !== undefined && { tone }) }}>
      {wordsOf(of)}
      {isLate && ', late'}
    </Looks>
  )
}

interface LooksProps {
  readonly like: StatusLook
  readonly title?: string
  readonly role?: 'status'
  readonly children: ComponentChildren
}

export function Looks({ like: { tone, glyph }, children, ...props }: LooksProps) {
  return (
    <span class={`status tone-${tone}`} {...props}>
      <Glyph of={glyph} />
      {children}
    </span>
  )
}
