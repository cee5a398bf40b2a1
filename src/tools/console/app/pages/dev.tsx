import { Books } from '../dev/Books.tsx'
import { useDev } from '../dev/devState.ts'
import { Faults, Outside } from '../dev/Faults.tsx'
import { Handlers } from '../dev/Handlers.tsx'
import { Live } from '../dev/Live.tsx'
import { Send } from '../dev/Send.tsx'
import { Empty, ApiFailure, Skeleton } from '../parts/standIns.tsx'
import { session } from '../api.ts'

export function Dev() {
  // A pasted link can lead to a page that this console does not have.
  if (session.value?.dev === true) return <Running />
  return (
    <Empty title="This console was not started by lineclear dev.">
      <code>lineclear dev FILE</code> runs your handlers on a local cloud, with this page beside
      them.
    </Empty>
  )
}

function Running() {
  const { answer: state, failure } = useDev()
  if (state === undefined) return failure === undefined ? <Skeleton /> : <ApiFailure of={failure} />
  return (
    <>
      {failure !== undefined && <ApiFailure of={failure} />}
      <Handlers of={state} />
      <div class="dev-columns">
        <div>
          <Send samples={state.samples} />
          <Live />
        </div>
        <div>
          <Books />
          <section class="dev-part">
            <header>
              <h2>Faults</h2>
              <p class="faint">drawn from seed {state.seed}</p>
            </header>
            {state.consumers.map((consumer, at) => (
              <Faults key={consumer.queue} of={consumer} first={at === 0} />
            ))}
          </section>
          {state.outside.length > 0 && (
            <section class="dev-part">
              <header>
                <h2>Outside systems</h2>
              </header>
              {state.outside.map((system) => (
                <Outside key={system.name} of={system} />
              ))}
            </section>
          )}
        </div>
      </div>
    </>
  )
}
