import { openQueue } from '../../send/operatorQueues.ts'
import { QueueNotFoundError } from '../operator/dlq/index.ts'
import { findUrl } from '../operator/dlq/deadLetterQueue.ts'
import { isNamed, type PauseSelection } from '../operator/pause/findMappings.ts'
import type { Pause } from '../../sweeper/pause/pauseRow.ts'
import { name, queue } from '../commands/kinds.ts'
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
  flow: {
    kind: name,
    help: 'of the functions with the tag lineclear:flow: all stages',
    page: true,
  },
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
