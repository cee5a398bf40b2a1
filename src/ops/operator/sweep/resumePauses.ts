import type { Clock } from '../../../clock.ts'
import { messageOf } from '../../../errors.ts'
import type { Logger } from '../../../logger.ts'
import type { Store } from '../../../store/store.ts'
import { applyResume } from '../pause/applyPause.ts'
import { listPauses } from '../pause/listPauses.ts'
import type { MappingSwitch } from '../pause/mappingClient.ts'

/** The next run tries again, so a busy mapping is not waited for. */
const PATIENCE = 0

/**
 * Resumes what is paused and past its end, one mapping after the other. What cannot be resumed is an error in the log, once in
 * each run: its messages wait.
 * @returns how many were resumed
 */
export async function resumePauses({
  store,
  lambda,
  clock,
  logger,
}: {
  readonly store: Store
  readonly lambda: MappingSwitch | undefined
  readonly clock: Clock
  readonly logger: Logger
}): Promise<number> {
  let resumed = 0
  for (const pause of await listPauses(store, clock.now())) {
    const { mapping, queue, by, why, state, until } = pause
    if (state !== 'resuming' && (until === undefined || until > clock.now())) continue
    const fields = { mapping, queue, function: pause.function, by, why }
    if (lambda === undefined) {
      logger.error(
        'a pause has ended, and its mapping is still disabled: the sweeper has no option lambda. Give it one, or type lineclear resume',
        fields,
      )
      continue
    }
    try {
      const outcome = await applyResume(pause, 'sweeper', {
        store,
        lambda,
        clock,
        patience: PATIENCE,
      })
      if (outcome === 'changed') continue
      resumed += 1
      logger.info(
        outcome === 'gone'
          ? 'a pause has ended: its mapping does not exist any more'
          : 'a pause has ended: its mapping is enabled again',
        fields,
      )
    } catch (error) {
      logger.error(
        'a pause has ended, and its mapping could not be enabled (lambda:UpdateEventSourceMapping): the next run tries again',
        { ...fields, error: messageOf(error) },
      )
    }
  }
  return resumed
}
