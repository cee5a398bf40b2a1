import type { ApiError } from '../api.ts'
import { Text } from './Text.tsx'

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
