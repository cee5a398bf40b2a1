import { openQueue } from '../../send/operatorQueues.ts'
import { QueueNotFoundError } from '../operator/dlq/index.ts'
import { findUrl } from '../operator/dlq/deadLetterQueue.ts'
import { isNamed, type PauseSelection } from '../operator/pause/findMappings.ts'
import type { Pause } from '../../sweeper/pause/pauseRow.ts'
import type { Io } from './command.ts'
import { UsageError } from './usageError.ts'

const TEXT = { type: 'string' } as const
type SelectedBy = 'mapping' | 'queue' | 'function' | 'consumer' | 'flow' | 'dependency'

/** Options that select mappings, for `readArgs`. */
export const SELECTION: Readonly<Record<SelectedBy, typeof TEXT>> = {
  mapping: TEXT,
  queue: TEXT,
  function: TEXT,
  consumer: TEXT,
  flow: TEXT,
  dependency: TEXT,
}

type SelectionValues = { readonly [By in SelectedBy]?: string | undefined }

/** @returns undefined: nothing is selected. @throws UsageError for more than one selection */
export function readSelection(values: SelectionValues): PauseSelection | undefined {
  const given = (Object.keys(SELECTION) as SelectedBy[]).flatMap((by) => {
    const value = values[by]
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
