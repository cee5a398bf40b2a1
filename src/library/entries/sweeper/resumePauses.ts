import type { Clock } from '../../base/clock.ts'
import { messageOf } from '../../base/errors.ts'
import type { Logger } from '../../base/logger.ts'
import type { Store } from '../../protocol/store/store.ts'
import { auditedOn } from './audit/audited.ts'
import { applyResume, type PauseOutcome, type MappingSwitch } from './pause/applyPause.ts'
import { pausesToEnd } from './pause/listPauses.ts'
import { type Pause, auditId } from './pause/pauseRow.ts'

/** The next run tries again, so a busy mapping is not waited for. */
const PATIENCE = 0
const BY = 'sweeper'

interface Resuming {
  readonly store: Store
  readonly lambda: MappingSwitch | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Resumes what is paused and past its end, one mapping after the other. What cannot be resumed is an error in the log, once in
 * each run: its messages wait.
 * @returns how many were resumed
 */
export async function resumePauses(resuming: Resuming): Promise<number> {
  const { store, clock, logger } = resuming
  let resumed = 0
  const leave = ({ message }: Error): void => {
    logger.error('a pause was left alone', { error: message })
  }
  for (const pause of await pausesToEnd(store, clock.now(), leave)) {
    if (await resumeOne(pause, resuming)) resumed += 1
  }
  return resumed
}

/** @returns whether it has ended now. Logs what is in the way. */
async function resumeOne(pause: Pause, { lambda, logger, ...rest }: Resuming): Promise<boolean> {
  const { mapping, queue, by, why } = pause
  const fields = { mapping, queue, function: pause.function, by, why }
  if (lambda === undefined) {
    logger.error(
      'a pause has ended, and its mapping is still disabled: the sweeper has no option lambda. Give it one, or type lineclear resume',
      fields,
    )
    return false
  }
  try {
    const outcome = await recorded(pause, rest, () =>
      applyResume(pause, BY, { ...rest, lambda, patience: PATIENCE }),
    )
    if (outcome === 'changed') return false
    logger.info(
      outcome === 'gone'
        ? 'a pause has ended: its mapping does not exist any more'
        : 'a pause has ended: its mapping is enabled again',
      fields,
    )
    return true
  } catch (error) {
    logger.error(
      'a pause has ended, and its mapping could not be enabled (lambda:UpdateEventSourceMapping): the next run tries again',
      { ...fields, error: messageOf(error) },
    )
    return false
  }
}

/**
 * The first try is recorded before it is made. Later ones, once a minute while a permission is missing, would bury every other row:
 * only the one that succeeds is recorded, afterwards.
 */
async function recorded(
  pause: Pause,
  at: Pick<Resuming, 'store' | 'clock'>,
  resume: () => Promise<PauseOutcome>,
): Promise<PauseOutcome> {
  const { id, state, until, by, why } = pause
  const over = until !== undefined && until <= at.clock.now()
  const entry = {
    action: 'resume',
    id: auditId(pause),
    plan: id,
    by: BY,
    why: over
      ? `the time of the pause is over (${by}: ${why})`
      : 'a resume was begun and not finished',
    command: 'lineclear sweep',
  }
  if (state !== 'resuming') return auditedOn(at, entry, resume)
  const outcome = await resume()
  await auditedOn(at, entry, async () => outcome).catch(() => {})
  return outcome
}
