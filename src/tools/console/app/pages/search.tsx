import { useEffect } from 'preact/hooks'
import { valueOf } from '../address.ts'
import type { Page } from '../page.ts'
import { Cost } from '../parts/Cost.tsx'
import { Empty } from '../parts/Empty.tsx'
import { Failure } from '../parts/Failure.tsx'
import { Id } from '../parts/Id.tsx'
import { Skeleton } from '../parts/Skeleton.tsx'
import { Text } from '../parts/Text.tsx'
import { address, go } from '../route.ts'
import type { SearchAnswer } from '../search/answer.ts'
import { Found } from '../search/Found.tsx'
import { onlyRequest } from '../search/onlyRequest.ts'
import { NotSearched } from '../search/NotSearched.tsx'
import { useAnswer } from '../useAnswer.ts'

export const search: Page = { path: '/search', title: 'Search', View: Search, listed: 'unlisted' }

function Search() {
  const { query } = address.value
  const id = valueOf(query['id'])
  const { scope, tenant, letters, scan } = query
  const asked = id === '' ? undefined : { q: id, scope, tenant, letters, scan }
  const { answer, failure, loading, refresh } = useAnswer<SearchAnswer>('search', asked, {
    every: 0,
  })
  const only = onlyRequest(answer?.found ?? [])
  useEffect(() => {
    // In the place of the search: going back leads to where it was typed.
    if (only !== undefined) go('/request', { id: only }, { replace: true })
  }, [only])
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
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading && <Skeleton lines={4} />}
      {answer !== undefined && (
        <>
          {answer.found.length === 0 && (
            <Empty title="No match.">
              <Text of={`No item that was searched has the id ${id}.`} />
            </Empty>
          )}
          {answer.found.map((found) => (
            <Found key={found.line} of={found} />
          ))}
          <NotSearched of={answer.notSearched} />
          <p class="as-command">
            <Cost of={answer.cost} />
          </p>
        </>
      )}
    </>
  )
}
