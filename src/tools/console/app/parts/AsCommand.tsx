import { signal } from '@preact/signals'
import type { AnswerCost } from '../answers.ts'
import type { Common } from '../api.ts'
import { counted } from './words.ts'

/** The command that gives the same answer, and what the answer has cost. `of` undefined: there is no answer yet. */
export function AsCommand({ of }: { readonly of: Pick<Common, 'line' | 'cost'> | undefined }) {
  if (of === undefined) return null
  return (
    <div class="as-command">
      <span class="faint">as a command</span>
      <Copied of={of.line} what="Command" />
      <Cost of={of.cost} />
    </div>
  )
}

export function Copied({ of, what }: { readonly of: string; readonly what: string }) {
  return (
    <>
      <code>{of}</code>{' '}
      <button type="button" class="quiet" onClick={() => void copy(of, what)}>
        copy
      </button>
    </>
  )
}

/** What answers have cost: requests to DynamoDB, their capacity units, requests to SQS. */
export function Cost({ of: { queries, units, receives } }: { readonly of: AnswerCost }) {
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

const said = signal('')
let hiding: ReturnType<typeof setTimeout> | undefined

/** Long enough to read a line, milliseconds. */
const STAYS = 4_000

/** Says something that needs no answer. Failures are said where they happen, and stay. */
function toast(text: string): void {
  said.value = text
  clearTimeout(hiding)
  hiding = setTimeout(() => (said.value = ''), STAYS)
}

export function Toast() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {said.value !== '' && <p>{said.value}</p>}
    </div>
  )
}

/** @param what it is, for the note that says so */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast(`${what} copied`)
  } catch {
    toast(`${what} could not be copied: the browser does not allow it`)
  }
}
