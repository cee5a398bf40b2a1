import { useEffect } from 'preact/hooks'
import { type Address, valueOf } from '../address.ts'
import { Cost } from '../parts/AsCommand.tsx'
import { Empty, ApiFailure, Skeleton } from '../parts/standIns.tsx'
import { Id } from '../parts/Id.tsx'
import { address, go, href, setQuery } from '../route.ts'
import { onlyRequest, requestId } from '../request/item.ts'
import { useAnswer } from '../useAnswer.ts'
import type { Letter } from './letters/answers.ts'
import type { Found as AllFound, NotSearched as Unsearched, SearchAnswer } from '../../search.ts'

export function Search() {
  const { query } = address.value
  const id = valueOf(query['id'])
  const { letters, scan } = query
  const asked = id === '' ? undefined : { q: id, letters, scan }
  const { answer, failure, loading, refresh } = useAnswer<SearchAnswer<Letter>>('search', asked, 0)
  const only = answer && onlyPage(answer.found)
  useEffect(() => {
    // In the place of the search: going back leads to where it was typed.
    if (only !== undefined) go(only.path, only.query, { replace: true })
  }, [answer])
  if (asked === undefined) {
    return (
      <Empty title="Search any id.">
        A request, the key of a flow, a key that a caller has sent, an external id, the id of an SQS
        message.
      </Empty>
    )
  }
  return (
    <>
      <p class="request-head">
        <Id of={id} to={null} copies />
      </p>
      {failure !== undefined && <ApiFailure of={failure} again={refresh} />}
      {loading && <Skeleton lines={4} />}
      {loading && (letters ?? scan) !== undefined && (
        <button type="button" onClick={() => setQuery({ letters: undefined, scan: undefined })}>
          Stop
        </button>
      )}
      {answer !== undefined && (
        <>
          <Found of={answer.found} id={id} />
          <NotSearched of={answer.notSearched} />
          <div class="as-command">
            <Cost of={answer.cost} />
          </div>
        </>
      )}
    </>
  )
}

/** The page of what the id certainly means. */
function onlyPage(found: AllFound<Letter>): Address | undefined {
  const id = onlyRequest(found)
  if (id !== undefined) return { path: '/request', query: { id } }
  const [letter, ...others] = found.letters
  return letter !== undefined && found.items.length + others.length === 0
    ? { path: '/letters', query: { queue: letter.queue, letter: letter.messageId } }
    : undefined
}

function Found({
  of: { items, letters },
  id: sought,
}: {
  readonly of: AllFound<Letter>
  readonly id: string
}) {
  if (items.length + letters.length === 0) {
    return <Empty title="No match.">{`No item that was searched has the id ${sought}.`}</Empty>
  }
  return (
    <section class="item">
      <h2>Found</h2>
      <ul class="lines">
        {items.map((pk) => (
          <li key={pk}>
            <Id of={requestId(pk)} />
          </li>
        ))}
        {letters.map(({ queue, messageId, reason, error = '' }) => (
          <li key={messageId}>
            <a href={href('/letters', { queue, id: messageId })}>
              {queue} {messageId}
            </a>{' '}
            {reason}: {error}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Places that cost something are searched when the person says so, and sees what it costs. */
function NotSearched({ of }: { readonly of: readonly Unsearched[] }) {
  if (of.length === 0) return null
  return (
    <section class="item">
      <h2>Not searched</h2>
      <ul class="not-searched">
        {of.map(({ place, why, ask, units }) => (
          <li key={place}>
            <span class="step-button">
              {ask !== undefined && (
                <button type="button" onClick={() => setQuery({ [ask]: '1' })}>
                  Search the {place}
                  {units !== undefined && units > 0 && `: ${units} units`}
                </button>
              )}
            </span>
            <span>{why}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
