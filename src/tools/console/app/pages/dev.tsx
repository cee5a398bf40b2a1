import { Books } from '../dev/Books.tsx'
import { books, devFailure, devState, useDev } from '../dev/devState.ts'
import { Faults } from '../dev/Faults.tsx'
import { Handlers, NotDev } from '../dev/Handlers.tsx'
import { Live } from '../dev/Live.tsx'
import { Outside } from '../dev/Outside.tsx'
import { QuickSend } from '../dev/QuickSend.tsx'
import { Failure, Skeleton } from '../parts/standIns.tsx'

export function Dev() {
  useDev()
  const state = devState.value
  const failure = devFailure.value
  if (failure?.status === 404) return <NotDev />
  if (state === undefined) return failure === undefined ? <Skeleton /> : <Failure of={failure} />
  return (
    <>
      {failure !== undefined && <Failure of={failure} />}
      <Handlers of={state} />
      <div class="dev-columns">
        <div>
          <QuickSend samples={state.samples} />
          <Live />
        </div>
        <div>
          <Books of={books.value} />
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
