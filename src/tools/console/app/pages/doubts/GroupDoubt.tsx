import { AsCommand } from '../../parts/AsCommand.tsx'
import { counted } from '../../parts/words.ts'
import { Empty, Failure, Skeleton } from '../../parts/standIns.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Id } from '../../parts/Id.tsx'
import { Text } from '../../parts/Text.tsx'
import { Time } from '../../parts/Time.tsx'
import { href } from '../../route.ts'
import { useAnswer } from '../../useAnswer.ts'
import type { RequestGroup } from './answers.ts'
import { Verdicts } from './Verdicts.tsx'

/** Many unknown outcomes of one kind, with one answer for all: ask the outside system for each of them first. */
export function GroupDoubt({ group }: { readonly group: string }) {
  const { answer, failure, loading, refresh } = useAnswer<{
    readonly groups: readonly RequestGroup[]
  }>('requestGroups', {}, { every: 0 })
  const found = answer?.groups.find((each) => each.group === group)
  return (
    <>
      <nav class="crumbs" aria-label="Way back">
        <a href="/doubts">all unknown outcomes</a>
        <span aria-current="page">
          <Text of={`group ${group}`} />
        </span>
      </nav>
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading && <Skeleton lines={6} />}
      {found === undefined && answer !== undefined && (
        <Empty title="No request of this group is open.">
          <a href="/doubts">All unknown outcomes</a>
        </Empty>
      )}
      {found !== undefined && (
        <>
          <p class="headline">
            <b>{counted(found.count, 'request')}</b> of <Text of={`${found.of}: ${found.error}`} />
          </p>
          <Facts
            of={[
              {
                name: 'Calls with an unknown outcome',
                value: <Text of={found.calls.join(', ') || 'not stored'} />,
              },
              { name: 'Oldest', value: <Time at={found.oldest} /> },
              {
                name: 'One of them',
                value: (
                  <Id of={found.example} to={{ path: '/doubts', query: { id: found.example } }} />
                ),
              },
            ]}
          />
          <p>
            The plan lists the id of each: compare them with the outside system before you apply it.
            One that changes meanwhile is left as it is.
          </p>
          <Verdicts
            on={{
              target: { group },
              name: counted(found.count, 'request'),
              kind: found.calls.length > 0 ? 'request' : 'key',
              calls: found.calls,
              notDone: found.notDone,
            }}
          />
          <p>
            <a href={href('/letters', { group })}>Their dead letters</a>, if they have any, are in
            the group of the same name.
          </p>
        </>
      )}
      <AsCommand of={answer} />
    </>
  )
}
