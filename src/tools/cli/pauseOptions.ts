import { openQueue } from '../../send/operatorQueues.ts'
import { QueueNotFoundError, findUrl } from '../operator/dlq/deadLetterQueue.ts'
import { type FoundMapping, isNamed, type PauseSelection } from '../operator/pause/findMappings.ts'
import { type Pause, auditId, subjectOf } from '../../sweeper/pause/pauseRow.ts'
import { name, queue, duration, flag, type Flag, kind, type Kind } from '../commands/kinds.ts'
import type { GivenOptions, Option } from '../commands/row.ts'
import type { Io } from './command.ts'
import { UsageError } from './usageError.ts'
import { MissingPackageError } from '../doctor/account/clients.ts'
import type { MappingClient, PauseOutcome } from '../../sweeper/pause/applyPause.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import type { Made, Operator } from './change.ts'
import { jsonTime, oneLine } from './table.ts'

type SelectedBy = PauseSelection['by']

export const SELECTION: Readonly<Record<SelectedBy, Option<string>>> = {
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
export function selectionOf(selected: GivenOptions<typeof SELECTION>): PauseSelection | undefined {
  const given = (Object.keys(SELECTION) as SelectedBy[]).flatMap((by) => {
    const value = selected[by]
    return value === undefined ? [] : [{ by, value }]
  })
  if (given.length > 1) {
    const names = given.map(({ by }) => `--${by}`).join(' and ')
    throw new UsageError(`expected one of --${Object.keys(SELECTION).join(', --')}; got ${names}`)
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

/** Whether a pause is of the selection, as its row tells. */
export function isSelected(pause: Pause, { by, value }: PauseSelection): boolean {
  switch (by) {
    case 'mapping':
      return pause.mapping === value
    case 'queue':
      return pause.queue === value
    case 'function':
      return `:${pause.function}:`.includes(`:${value}:`)
    case 'consumer':
    case 'flow':
    case 'dependency':
      return isNamed(pause.names, by, value)
  }
}

/** `until` of a pause that begins now. */
export type End = (now: number) => number | undefined

const TIME = 'a time to come in ISO 8601 with its zone, such as 2026-01-31T12:00Z'
/** Epoch milliseconds. Pages give times in UTC. */
const time: Kind<number> = kind(
  'TIME',
  (text, refuse) => {
    const at = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(at) ? refuse(TIME) : at
  },
  (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/.test(text)
      ? undefined
      : 'a time such as 2026-01-31T12:00Z',
)

export const ENDS: {
  readonly for: Option<number>
  readonly until: Option<number>
  readonly noEnd: Option<boolean> & { readonly kind: Flag }
} = {
  for: { kind: duration, help: 'it ends this long after it was applied: 30m, 2h', page: true },
  until: { kind: time, help: 'it ends then: ISO 8601, such as 2026-01-31T12:00Z', page: true },
  noEnd: { kind: flag, help: 'only lineclear resume ends it', page: true },
}

/** @throws UsageError */
export function endOf(given: GivenOptions<typeof ENDS>, now: number): End {
  const { for: lasts, until, noEnd } = given
  const ends = [lasts, until, noEnd || undefined].filter((each) => each !== undefined)
  if (ends.length !== 1) {
    throw new UsageError(
      `expected one of --for TIME, --until TIME and --no-end; got ${ends.length === 0 ? 'none' : ends.length}`,
    )
  }
  if (lasts === 0) throw new UsageError('--for: expected a time to come, such as 30m; got no time')
  if (lasts !== undefined) return (from) => from + lasts
  if (until !== undefined && until <= now) throw new UsageError(`--until: expected ${TIME}`)
  return () => until
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
