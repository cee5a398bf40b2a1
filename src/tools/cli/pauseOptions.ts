import { openQueue } from '../operator/aws/queues.ts'
import { QueueNotFoundError, findUrl } from '../operator/dlq/deadLetterQueue.ts'
import type { FoundMapping, PauseSelection } from '../operator/pause/findMappings.ts'
import { type Pause, auditId, subjectOf } from '../../library/entries/sweeper/pause/pauseRow.ts'
import { name, queue } from '../commands/kinds.ts'
import type { GivenOptions, Option } from '../commands/row.ts'
import type { Io } from './command.ts'
import { UsageError } from './usageError.ts'
import { MissingPackageError } from '../doctor/account/clients.ts'
import type { PauseOutcome } from '../../library/entries/sweeper/pause/applyPause.ts'
import type { MappingClient } from '../operator/pause/findMappings.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import type { Made, Operator } from './change.ts'
import { jsonTime, oneLine } from './table.ts'

type SelectedBy = PauseSelection['by']

export const PAUSE_SELECTION: Readonly<Record<SelectedBy, Option<string>>> = {
  mapping: { kind: name, word: 'UUID', help: 'one event source mapping', page: true },
  queue: { kind: queue, help: 'the mappings of a queue: its name, URL or ARN', page: true },
  function: { kind: name, help: 'the mappings of a function: its name or ARN', page: true },
  consumer: {
    kind: name,
    help: 'of the function with the tag lineclear:consumer; a stage is FLOW.STAGE, by lineclear:flow and lineclear:stage',
    page: true,
  },
  flow: { kind: name, help: 'of the functions with the tag lineclear:flow', page: true },
  dependency: {
    kind: name,
    help: 'of the functions with the tag lineclear:dependency, which names one or more, separated by spaces',
    page: true,
  },
}

/** @returns undefined: nothing is selected. @throws UsageError for more than one selection */
export function pauseSelectionOf(
  selected: GivenOptions<typeof PAUSE_SELECTION>,
): PauseSelection | undefined {
  const given = (Object.keys(PAUSE_SELECTION) as SelectedBy[]).flatMap((by) => {
    const value = selected[by]
    return value === undefined ? [] : [{ by, value }]
  })
  if (given.length > 1) {
    const names = given.map(({ by }) => `--${by}`).join(' and ')
    throw new UsageError(
      `expected one of --${Object.keys(PAUSE_SELECTION).join(', --')}; got ${names}`,
    )
  }
  return given[0]
}

/** With the ARN of the queue in place of its name or URL. @throws QueueNotFoundError */
export async function withQueueArn(selection: PauseSelection, io: Io): Promise<PauseSelection> {
  if (selection.by !== 'queue' || selection.value.startsWith('arn:')) return selection
  const queue = await openQueue(io.sqs(), await findUrl(io.sqs(), selection.value))
  if (queue === undefined) throw new QueueNotFoundError(selection.value)
  return { by: 'queue', value: queue.arn }
}

/** `until 2026-01-01T12:00:00.000Z (in 2 hours)`. */
export function endText(until: number | undefined, now: number): string {
  return until === undefined ? 'until it is resumed' : `until ${formatTime(until, now)}`
}

/** One line for each pause, for lists and for the end of other commands. */
export function pauseLine(pause: Pause, io: Io): string {
  const { state, by, why, until, mapping } = pause
  const now = io.clock.now()
  const over = until !== undefined && until <= now
  const how =
    state === 'paused'
      ? `paused by ${by} ${endText(until, now)}${over ? ', and not resumed' : ''}`
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

/**
 * Changes the pauses of several mappings, each with a row of its own in the audit.
 * @param change says how it came out, and what it says of a mapping that is done
 */
export async function changePauses<Each extends Omit<FoundMapping, 'state'>>(
  all: readonly Each[],
  { record }: Operator,
  change: (each: Each) => Promise<readonly [PauseOutcome, done: string]>,
): Promise<Made> {
  const lines: string[] = []
  let incomplete = false
  for (const each of all) {
    const [end, done] = await record(async () => {
      const changed = await change(each)
      return [changed[0], changed]
    }, auditId(each))
    incomplete ||= end === 'changed'
    lines.push(`${subjectOf(each)}: ${end === 'done' ? done : NOT_DONE[end]}`)
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
