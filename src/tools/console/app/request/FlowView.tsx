import { Facts } from '../parts/Facts.tsx'
import { Id } from '../parts/Id.tsx'
import { Text } from '../parts/Text.tsx'
import { Time } from '../parts/Time.tsx'
import { Fates } from './Fates.tsx'
import type { FactsOf } from './item.ts'
import { LogQuery } from './LogQuery.tsx'
import { Stages } from './Stages.tsx'

/** Who holds the key of a flow, since when, who waits for it, and which stages are still to come. */
export function FlowView({ of }: { readonly of: FactsOf<'flow'> }) {
  const { id, run, newest, waiting, last, dropped, epoch, fence, fates, logs } = of
  const since = newest !== undefined && newest.request === run?.request ? newest.sentAt : undefined
  return (
    <>
      <Facts
        of={[
          {
            name: 'Holds the key',
            value:
              run === undefined ? (
                'no request: the key is free'
              ) : (
                <Request of={run.request} id={id} />
              ),
          },
          since !== undefined && { name: 'First sent', value: <Time at={since} /> },
          run !== undefined && { name: 'Time limit', value: <Time at={run.giveUpAt} /> },
          run?.ending !== undefined && {
            name: 'Ending',
            value: `as ${run.ending.as}${run.ending.undo ? ', its effects are undone' : ''}`,
          },
          {
            name: 'Waits for the key',
            value:
              waiting === undefined ? (
                'no request'
              ) : (
                <>
                  <Request of={waiting.request} id={id} />, sent <Time at={waiting.sentAt} />
                </>
              ),
          },
          run === undefined &&
            newest !== undefined && {
              name: 'Newest started',
              value: <Request of={newest.request} id={id} />,
            },
          last !== undefined && { name: 'Last run ended', value: `as ${last.as}` },
          dropped > 0 && { name: 'Dropped meanwhile', value: dropped },
          { name: 'Epoch and fence', value: <code>{`${epoch}, ${fence}`}</code> },
        ]}
      />
      {run !== undefined && <Stages of={run.stages} />}
      {run !== undefined && run.steps.length > 0 && (
        <p>
          Awaits <Text of={run.steps.join(', ')} />
        </p>
      )}
      <Fates of={fates} title="If it is delivered now" />
      <LogQuery of={logs} />
    </>
  )
}

function Request({ of, id }: { readonly of: string; readonly id: string }) {
  return <Id of={of} to={{ path: '/request', query: { id, request: of } }} />
}
