import type { Explained } from '../answers.ts'
import { valueOf } from '../address.ts'
import type { Page } from '../page.ts'
import { AsCommand } from '../parts/AsCommand.tsx'
import { Empty } from '../parts/Empty.tsx'
import { Facts } from '../parts/Facts.tsx'
import { Failure } from '../parts/Failure.tsx'
import { Id } from '../parts/Id.tsx'
import { Json } from '../parts/Json.tsx'
import { Skeleton } from '../parts/Skeleton.tsx'
import { tabOf, Tabs } from '../parts/Tabs.tsx'
import { Text } from '../parts/Text.tsx'
import { address } from '../route.ts'
import { useAnswer } from '../useAnswer.ts'

export const request: Page = {
  path: '/request',
  title: 'Request',
  View: Request,
  listed: 'unlisted',
}

const VIEWS = [
  { name: 'waterfall', title: 'Waterfall' },
  { name: 'table', title: 'Table' },
  { name: 'json', title: 'JSON' },
]

function Request() {
  const { query } = address.value
  const id = valueOf(query['id'])
  const asked = id === '' ? undefined : { id, request: query['request'] }
  const { answer, failure, loading, refresh } = useAnswer<Explained>('request', asked)
  if (asked === undefined) return <Empty title="No request was asked for." />
  const view = tabOf('view', VIEWS)
  return (
    <>
      <Facts of={[{ name: 'Id', value: <Id of={id} to={null} copies /> }]} />
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading && <Skeleton />}
      <Tabs label="View" parameter="view" tabs={VIEWS} />
      {view === 'json' ? (
        <Json of={answer} />
      ) : (
        answer?.explained.map(({ title, lines }) => (
          <section key={title}>
            <h2>
              <Text of={title} />
            </h2>
            <ul class="lines">
              {lines.map((line, at) => (
                <li key={at}>
                  <Text of={line} />
                </li>
              ))}
            </ul>
          </section>
        ))
      )}
      <AsCommand of={answer} />
    </>
  )
}
