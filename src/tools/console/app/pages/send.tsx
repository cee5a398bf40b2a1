import { valueOf } from '../address.ts'
import { devFailure, devState, useDev } from '../dev/devState.ts'
import { NotDev } from '../dev/Handlers.tsx'
import { SendForm } from '../dev/SendForm.tsx'
import { SentList } from '../dev/SentList.tsx'
import { Empty, Failure, Skeleton } from '../parts/standIns.tsx'
import { Text } from '../parts/Text.tsx'
import { address, href } from '../route.ts'
import { targetsOf } from '../dev/drafts.ts'

export function Send() {
  useDev()
  const state = devState.value
  const failure = devFailure.value
  if (failure?.status === 404) return <NotDev />
  if (state === undefined) return failure === undefined ? <Skeleton /> : <Failure of={failure} />
  const asked = valueOf(address.value.query['to'])
  const targets = targetsOf(state.samples)
  const sample = targets.find(({ to }) => to === asked) ?? targets[0]
  if (sample === undefined) {
    return <Empty title="The file defines no queue or topic to send to." />
  }
  return (
    <>
      {failure !== undefined && <Failure of={failure} />}
      <nav class="tabs" aria-label="Queues and topics">
        {targets.map(({ to, kind }) => (
          <a
            key={`${kind} ${to}`}
            href={href('/send', { to })}
            aria-current={to === sample.to ? 'true' : undefined}
          >
            {kind === 'topic' && <span class="faint">topic </span>}
            <Text of={to} />
          </a>
        ))}
      </nav>
      <div class="send-columns">
        <SendForm key={sample.to} sample={sample} />
        <SentList />
      </div>
    </>
  )
}
