import { useState } from 'preact/hooks'
import { Id } from '../parts/Id.tsx'
import { Body } from '../parts/Json.tsx'
import { Failure, Skeleton } from '../parts/standIns.tsx'
import { Text } from '../parts/Text.tsx'
import { useAnswer } from '../useAnswer.ts'
import { type Item, letterOf, mainItem } from './item.ts'
import type { Folded } from '../answers.ts'

/** What went wrong, and with which payload: what a person asks first. */
export function Problem({ of: items }: { readonly of: readonly Item[] }) {
  const facts = mainItem(items)?.facts
  const calls = facts !== undefined && 'calls' in facts ? facts.calls : []
  const unknown = calls.filter(({ state }) => state === 'unknown')
  const letter = letterOf(items)
  const hasError = facts !== undefined && 'error' in facts && facts.error !== undefined
  if (!hasError && unknown.length === 0 && letter === undefined) return null
  return (
    <section class="problem" aria-label="Problem">
      {hasError && <ErrorView error={facts.error} stack={facts.stack} />}
      {unknown.map(({ name, key }) => (
        <p key={name}>
          Was the call{' '}
          <b>
            <Text of={name} />
          </b>{' '}
          made?{' '}
          {key === undefined ? (
            'It was made without an idempotency key: look for its effect in the outside system.'
          ) : (
            <>
              Ask the outside system for this idempotency key: <Id of={key} to={null} copies />
            </>
          )}
        </p>
      ))}
      {letter !== undefined && <Payload key={letter.id} of={letter} />}
    </section>
  )
}

interface ErrorViewProps {
  readonly error: string | undefined
  /** One frame or cause a line. */
  readonly stack: string | undefined
}

/** An error, with its stack folded. */
export function ErrorView({ error, stack }: ErrorViewProps) {
  if (error === undefined) return null
  return (
    <div class="error">
      <p class="tone-bad">
        <Text of={error} lines />
      </p>
      {stack !== undefined && (
        <details>
          <summary class="faint">Stack</summary>
          <pre>
            <Text of={stack} lines />
          </pre>
        </details>
      )}
    </div>
  )
}

interface PayloadProps {
  readonly of: NonNullable<ReturnType<typeof letterOf>>
}

/** It may hold personal data, and to see it receives its dead letter: only when a person asks. */
function Payload({ of }: PayloadProps) {
  const [asked, setAsked] = useState(false)
  if (asked) return <AskedPayload of={of} />
  return (
    <p class="actions">
      <button type="button" onClick={() => setAsked(true)}>
        Show its payload
      </button>
      <span class="faint">It may hold personal data. Showing it receives its dead letter.</span>
    </p>
  )
}

interface Letters {
  readonly letters: readonly { readonly body?: string | Folded; readonly payload?: string }[]
}

function AskedPayload({ of }: PayloadProps) {
  const { answer, failure, loading, refresh } = useAnswer<Letters>(
    'letters',
    { ...of, body: '1' },
    { every: 0 },
  )
  const [letter] = answer?.letters ?? []
  if (failure !== undefined) return <Failure of={failure} again={refresh} />
  if (loading) return <Skeleton lines={2} />
  if (letter === undefined) return <p>Its dead letter is not on the queue any more.</p>
  if (letter.payload === undefined) return <Body of={letter.body} />
  return (
    <p>
      It is not in the message: <Text of={letter.payload} />
    </p>
  )
}
