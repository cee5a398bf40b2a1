import type { Cost as Spent } from '../answers.ts'
import { copy } from './toast.tsx'
import { Text } from './Text.tsx'
import { counted } from './words.ts'

interface AsCommandProps {
  /** `line` and `cost` of an answer. undefined: there is none yet. */
  readonly of: { readonly line: string; readonly cost: Spent } | undefined
}

/** The command that shows the same in a terminal. */
export function AsCommand({ of }: AsCommandProps) {
  if (of === undefined) return null
  return (
    <div class="as-command">
      <span class="faint">as a command</span>
      <Copied of={of.line} what="Command" />
      <Cost of={of.cost} />
    </div>
  )
}

/** A line to type elsewhere, with a button that copies it. */
export function Copied({ of, what }: { readonly of: string; readonly what: string }) {
  return (
    <>
      <code>
        <Text of={of} />
      </code>{' '}
      <button type="button" class="quiet" onClick={() => void copy(of, what)}>
        copy
      </button>
    </>
  )
}

/** What answers have cost: requests to DynamoDB, their capacity units, requests to SQS. */
export function Cost({ of: { queries, units, receives } }: { readonly of: Spent }) {
  const parts = [
    counted(queries, 'query', 'queries'),
    ...(units > 0 ? [counted(Math.round(units * 10) / 10, 'unit')] : []),
    ...(receives > 0 ? [`${receives} to SQS`] : []),
  ]
  return (
    <details class="cost">
      <summary title="What it has cost">?</summary> {parts.join(' · ')}
    </details>
  )
}
