import { Facts } from '../parts/Facts.tsx'
import { Text } from '../parts/Text.tsx'
import { Time } from '../parts/Time.tsx'
import { ErrorView } from './ErrorView.tsx'
import { Fates } from './Fates.tsx'
import type { FactsOf } from './item.ts'
import { LogQuery } from './LogQuery.tsx'
import { Work } from './Work.tsx'

export function TokenView({ of }: { readonly of: FactsOf<'request' | 'key' | 'undo'> }) {
  const { attempt, fence, leaseUntil, notBefore, claimedAt, claimedBy, endedAt, reason, deaths } =
    of
  const { error, stack, effects, calls, sent, undoes, fates, logs, rememberedUntil } = of
  return (
    <>
      <Facts
        of={[
          reason !== undefined && { name: 'Reason', value: <Text of={reason} /> },
          { name: 'Attempt', value: attempt },
          claimedAt !== undefined && { name: 'Claimed', value: <Time at={claimedAt} /> },
          claimedBy !== undefined && {
            name: 'By',
            value: (
              <code>
                <Text of={claimedBy} />
              </code>
            ),
          },
          leaseUntil !== undefined && { name: 'Lease ends', value: <Time at={leaseUntil} /> },
          notBefore !== undefined && { name: 'Next attempt', value: <Time at={notBefore} /> },
          endedAt !== undefined && { name: 'Ended', value: <Time at={endedAt} /> },
          rememberedUntil !== undefined && {
            name: 'Duplicates are recognised',
            value: rememberedUntil === 'forever' ? 'for ever' : <Time at={rememberedUntil} />,
          },
          deaths > 0 && { name: 'Dead-lettered', value: deaths === 1 ? 'once' : `${deaths} times` },
          undoes !== undefined && { name: 'Undoes', value: <Text of={undoes} /> },
          { name: 'Fence', value: <code>{fence}</code> },
        ]}
      />
      <ErrorView error={error} stack={stack} />
      <Work effects={effects} calls={calls} sent={sent} />
      <Fates
        of={fates}
        title={of.kind === 'key' ? 'If it is called now' : 'If it is delivered now'}
      />
      <LogQuery of={logs} />
    </>
  )
}
