import { MissingPackageError } from '../doctor/account/missingPackage.ts'
import type { MappingClient, PauseOutcome } from '../../sweeper/pause/applyPause.ts'
import { auditId, type Pause, subjectOf } from '../../sweeper/pause/pauseRow.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import type { Made, Operator } from './change.ts'
import type { Io } from './command.ts'
import { jsonTime } from './printJson.ts'
import { oneLine } from './table.ts'
import { UsageError } from './usageError.ts'

/** `until 2026-01-01T12:00:00.000Z (in 2 hours)`. */
export function endOf(until: number | undefined, now: number): string {
  return until === undefined ? 'until it is resumed' : `until ${formatTime(until, now)}`
}

/** One line for each pause, for lists and for the end of other commands. */
export function pauseLine(pause: Pause, io: Io): string {
  const { state, by, why, until, mapping } = pause
  const now = io.clock.now()
  const over = until !== undefined && until <= now
  const how =
    state === 'paused'
      ? `paused by ${by} ${endOf(until, now)}${over ? ', and not resumed' : ''}`
      : `${state}: begun by ${by} and not finished`
  const resume = io.here(`lineclear resume --mapping ${mapping}`)
  return oneLine(`${subjectOf(pause)}: ${how}: ${why}. To resume: ${resume}`)
}

export function pauseJson({ since, until, names, ...pause }: Pause): object {
  return { ...pause, ...names, since: jsonTime(since), until: jsonTime(until) ?? null }
}

/** A name that is misspelled stops and starts nothing: a script must not take it for done. */
export const MISSING: Made = {
  outcome: 'missing',
  because:
    'no mapping of an SQS queue matches. Nothing was changed. Names are those of the tags of the functions; --queue and --function need no tags',
}

type Mapping = Pick<Pause, 'mapping' | 'queue' | 'function' | 'names'>

/**
 * Changes the pauses of several mappings, each with a row of its own in the audit.
 * @param change says how it came out, and what it says of a mapping that is done
 */
export async function changePauses<Each extends Mapping>(
  all: readonly Each[],
  { record }: Operator,
  change: (each: Each) => Promise<readonly [PauseOutcome, done: string]>,
): Promise<Made> {
  const lines: string[] = []
  let incomplete = false
  for (const each of all) {
    let said = ''
    const outcome = await record(async () => {
      const [end, done] = await change(each)
      said = end === 'done' ? done : NOT_DONE[end]
      return end
    }, auditId(each))
    incomplete ||= outcome === 'changed'
    lines.push(`${subjectOf(each)}: ${said}`)
  }
  if (!incomplete) return { outcome: 'applied', lines }
  const said = 'Not all of it was done. lineclear pause lists what is paused.'
  return { outcome: 'incomplete', lines, said }
}

const NOT_DONE = {
  gone: 'the mapping does not exist any more: its pause has ended',
  changed:
    'another operator, or the sweeper, has changed its pause at the same time: theirs stands',
}

/** An operator waits at the terminal. Lambda takes up to a minute to enable or disable a mapping. */
export const PATIENCE = 90_000

/** @throws MissingPackageError, or UsageError when there is no Lambda */
export async function lambdaOf(io: Io): Promise<MappingClient> {
  const client = await io.lambda()
  if (!('why' in client)) return client
  if (client.package !== undefined) throw new MissingPackageError(client.package)
  throw new UsageError(`${client.why}, so that no mapping can be seen or switched. ${client.cure}`)
}
