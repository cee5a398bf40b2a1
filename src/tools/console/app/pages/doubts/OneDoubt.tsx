import type { Explained } from '../../answers.ts'
import { AsCommand } from '../../parts/AsCommand.tsx'
import { Empty, Failure, Skeleton } from '../../parts/standIns.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Id } from '../../parts/Id.tsx'
import { planChange } from '../../parts/plans.ts'
import { Status } from '../../parts/Status.tsx'
import { Text } from '../../parts/Text.tsx'
import { Time } from '../../parts/Time.tsx'
import { href } from '../../route.ts'
import { useAnswer } from '../../useAnswer.ts'
import { Verdicts } from './Verdicts.tsx'

type Known = Extract<
  Explained['explained'][number]['facts'],
  { readonly kind: 'request' | 'key' | 'undo' }
>

/** One unknown outcome: what is known of the call, what the outside system should be asked, and the answers. */
export function OneDoubt({ id }: { readonly id: string }) {
  const { answer, failure, loading, refresh } = useAnswer<Explained>(
    'request',
    { id },
    { every: 0 },
  )
  const known = answer?.explained
    .map(({ facts }) => facts)
    .find((facts): facts is Known => facts.kind === 'request' || facts.kind === 'key')
  return (
    <>
      <nav class="crumbs" aria-label="Way back">
        <a href="/doubts">all unknown outcomes</a>
        <span aria-current="page">
          <Text of={id} />
        </span>
      </nav>
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading && <Skeleton lines={8} />}
      {known === undefined && answer !== undefined && (
        <Empty title="The table has no item of this id.">
          Its retention has ended, or the id is wrong. <a href="/doubts">All unknown outcomes</a>
        </Empty>
      )}
      {known !== undefined && <Shown known={known} />}
      <AsCommand of={answer} />
    </>
  )
}

function Shown({ known }: { readonly known: Known }) {
  const { id, status, calls, error, claimedAt, claimedBy, endedAt, attempt, advice, of } = known
  const unknown = calls.filter(({ state }) => state === 'unknown')
  const letter = advice.find(({ action }) => action === 'dlq.redrive')
  return (
    <>
      <p class="headline">
        <Status of={status} /> {error !== undefined && <Text of={error} />}
      </p>
      <Facts
        of={[
          { name: 'Id', value: <Id of={id} copies /> },
          { name: known.kind === 'key' ? 'Scope' : 'Consumer', value: <Text of={of} /> },
          { name: 'Attempt', value: attempt },
          { name: 'Began', value: <Time at={claimedAt} /> },
          endedAt !== undefined && { name: 'Unknown since', value: <Time at={endedAt} /> },
          claimedBy !== undefined && { name: 'By', value: <Text of={claimedBy} /> },
        ]}
      />
      {status !== 'unknown' && (
        <p class="tone-good">
          <span aria-hidden="true">✔ </span>Its outcome is not unknown any more.
        </p>
      )}
      <section>
        <h2>Ask the outside system</h2>
        {unknown.length === 0 ? (
          <p>
            Was the call that began <Time at={claimedAt} /> made? The table does not hold its
            idempotency key; the log of its invocation may.
          </p>
        ) : (
          <ul class="calls">
            {unknown.map(({ name, key }) => (
              <li key={name}>
                <Status of="unknown" />{' '}
                <b>
                  <Text of={name} />
                </b>
                {key === undefined ? (
                  <span>
                    It was made without an idempotency key: look for its effect near{' '}
                    <Time at={claimedAt} />.
                  </span>
                ) : (
                  <span>
                    Was a call with this idempotency key made, and what was its result?{' '}
                    <Id of={key} to={null} copies />
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
      </section>
      {status === 'unknown' && (
        <Verdicts
          on={{
            target: { id },
            name: id,
            kind: known.kind === 'key' ? 'key' : 'request',
            calls: unknown.map(({ name }) => name),
            notDone: notDoneOf(known),
          }}
        />
      )}
      {letter !== undefined && <Letter given={letter.given} />}
      <p>
        <a href={href('/request', { id })}>Explain this request</a>
      </p>
    </>
  )
}

/** As the advice to release it names them. */
function notDoneOf({ advice }: Known): readonly string[] {
  const given = advice.find(({ action }) => action === 'tokens.release')?.given['notDone']
  return Array.isArray(given) ? given.filter((each) => typeof each === 'string') : []
}

/** Its answer alone runs nothing: its message is on the dead-letter queue. */
function Letter({ given }: { readonly given: Readonly<Record<string, unknown>> }) {
  const query = {
    ...(typeof given['queue'] === 'string' && { queue: given['queue'] }),
    ...(typeof given['id'] === 'string' && { id: given['id'] }),
  }
  return (
    <section>
      <h2>Then</h2>
      <p>It runs again when its dead letter is redriven.</p>
      <p class="actions">
        <button
          type="button"
          onClick={() =>
            planChange({ action: 'dlq.redrive', given, title: 'Redrive its dead letter' })
          }
        >
          Redrive its dead letter…
        </button>
        <a href={href('/letters', query)}>show it</a>
      </p>
    </section>
  )
}
