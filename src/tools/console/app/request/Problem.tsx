import { ErrorView } from '../parts/ErrorView.tsx'
import { Id } from '../parts/Id.tsx'
import { LetterPayload } from '../parts/LetterPayload.tsx'
import { type ExplainedItem, letterOf, mainItem } from './item.ts'

/** What went wrong, and with which payload: what a person asks first. */
export function Problem({ of: items }: { readonly of: readonly ExplainedItem[] }) {
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
          Was the call <b>{name}</b> made?{' '}
          {key === undefined ? (
            'It was made without an idempotency key: look for its effect in the outside system.'
          ) : (
            <>
              Ask the outside system for this idempotency key: <Id of={key} to={null} copies />
            </>
          )}
        </p>
      ))}
      {letter !== undefined && <LetterPayload key={letter.id} {...letter} />}
    </section>
  )
}
