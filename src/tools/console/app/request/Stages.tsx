import { Status } from '../parts/Status.tsx'
import { Text } from '../parts/Text.tsx'
import { Time } from '../parts/Time.tsx'
import type { FactsOf } from './item.ts'
import { callsText } from './Work.tsx'

type Stage = FactsOf<'deadRun'>['stages'][number]

/** The stages of a run in order: done, in work, and still to come. */
export function Stages({ of }: { readonly of: readonly Stage[] }) {
  if (of.length === 0) return null
  return (
    <div class="table">
      <table aria-label="Stages">
        <thead>
          <tr>
            <th scope="col">Stage</th>
            <th scope="col">State</th>
            <th scope="col">What it did</th>
            <th scope="col" class="main">
              Then
            </th>
          </tr>
        </thead>
        <tbody>
          {of.map((stage) => (
            <tr key={stage.name}>
              <th scope="row">
                <Text of={stage.name} />
              </th>
              <td>
                <Status of={stage.status} />
              </td>
              <td>
                <Text
                  of={[...stage.effects.map((each) => `◆ ${each}`), callsText(stage.calls)]
                    .join(' ')
                    .trim()}
                />
              </td>
              <td class="main">
                <Then of={stage} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Then({
  of: { status, attempt, leaseUntil, due, resent, reason, sentTo, ends },
}: {
  readonly of: Stage
}) {
  switch (status) {
    case 'done':
      return ends ? <>ends the run</> : <Text of={`sent to ${sentTo.join(', ')}`} />
    case 'coming':
      return <>its message is on the way</>
    case 'running':
    case 'lost':
      return (
        <>
          attempt {attempt}, lease {status === 'lost' ? 'ended' : 'ends'} <Time at={leaseUntil} />
        </>
      )
    case 'waiting':
      return (
        <>
          attempt {(attempt ?? 0) + 1} <Time at={due} />
          {resent === true && ', its message is on the queue'}
        </>
      )
    case 'dying':
    case 'dead':
      return <Text of={reason ?? ''} />
  }
}
