import type { ComponentChildren } from 'preact'
import type { ApiError, Common } from '../api.ts'
import type { Answered } from '../useAnswer.ts'
import { AsCommand } from './AsCommand.tsx'
import { Glyph } from './Status.tsx'

interface AnswerProps<Fields> {
  readonly of: Answered<Fields>
  readonly lines?: number
  readonly children: (answer: Common & Fields) => ComponentChildren
}

/** What was asked for; why there is none, or that it is on its way; and the command that says the same. */
export function Answer<Fields>({ of, lines = 8, children }: AnswerProps<Fields>) {
  const { answer, failure, loading, refresh } = of
  return (
    <>
      {failure !== undefined && <ApiFailure of={failure} again={refresh} />}
      {loading && <Skeleton lines={lines} />}
      {answer !== undefined && children(answer)}
      <AsCommand of={answer} />
    </>
  )
}

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

export function ApiFailure({
  of: { message, help, status },
  again,
}: {
  readonly of: ApiError
  readonly again?: () => void
}) {
  const goesOn = status === 0
  return (
    <div class="failure" role="alert">
      <p class="failure-title">
        <Glyph of="✖" />
        {message}
      </p>
      {help.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {again !== undefined && !goesOn && (
        <button type="button" onClick={again}>
          Ask again
        </button>
      )}
    </div>
  )
}

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
