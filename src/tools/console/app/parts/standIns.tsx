import type { ComponentChildren } from 'preact'
import type { ApiError } from '../api.ts'
import { Text } from './Text.tsx'

/** Says that there is nothing, and what that means. */
export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <p>{children}</p>}
    </div>
  )
}

/** Why there is no answer, and what to do. */
export function Failure({
  of: { message, help, status },
  again,
}: {
  readonly of: ApiError
  /** A button that asks again. */
  readonly again?: () => void
}) {
  const goesOn = status === 0
  return (
    <div class="failure" role="alert">
      <p class="failure-title">
        <span class="glyph" aria-hidden="true">
          ✖
        </span>
        <Text of={message} />
      </p>
      {help.map((line) => (
        <p key={line}>
          <Text of={line} />
        </p>
      ))}
      {again !== undefined && !goesOn && (
        <button type="button" onClick={again}>
          Ask again
        </button>
      )}
    </div>
  )
}

/** Stands where an answer will stand. */
export function Skeleton({ lines = 5 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} />
      ))}
    </div>
  )
}
