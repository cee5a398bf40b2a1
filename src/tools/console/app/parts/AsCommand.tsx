import type { Cost as Spent } from '../answers.ts'
import { copy } from './copy.ts'
import { Cost } from './Cost.tsx'
import { Text } from './Text.tsx'

interface AsCommandProps {
  /** `line` and `cost` of an answer. undefined: there is none yet. */
  readonly of: { readonly line: string; readonly cost: Spent } | undefined
}

/** The command that shows the same in a terminal. */
export function AsCommand({ of }: AsCommandProps) {
  if (of === undefined) return null
  return (
    <p class="as-command">
      <span class="faint">as a command</span>
      <code>
        <Text of={of.line} />
      </code>
      <button type="button" class="quiet" onClick={() => void copy(of.line, 'Command')}>
        copy
      </button>
      <Cost of={of.cost} />
    </p>
  )
}
