import { openQueue } from '../../send/operatorQueues.ts'
import { QueueNotFoundError } from '../operator/dlq/index.ts'
import { findUrl } from '../operator/dlq/deadLetterQueue.ts'
import { isNamed, type PauseSelection } from '../operator/pause/findMappings.ts'
import type { Pause } from '../../sweeper/pause/pauseRow.ts'
import { name, queue, duration, flag, type Flag, kind, type Kind } from '../commands/kinds.ts'
import type { GivenOptions, Option } from '../commands/row.ts'
import type { Io } from './command.ts'
import { UsageError } from './usageError.ts'

type SelectedBy = 'mapping' | 'queue' | 'function' | 'consumer' | 'flow' | 'dependency'

/** Options that select mappings: one of them. */
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

/** Options of which one says when a pause ends. */
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
