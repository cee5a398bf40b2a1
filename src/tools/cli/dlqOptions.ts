import type { QueueOptions, Selection } from '../operator/dlq/index.ts'
import type { Io } from './command.ts'
import type { Progress } from './progress.ts'
import { readDuration } from './readArgs.ts'
import { UsageError } from './usageError.ts'

const TEXT = { type: 'string' } as const

type SelectionOption = 'group' | 'id' | 'reason' | 'older-than' | 'match'
export const SELECTION: Readonly<
  Record<Exclude<SelectionOption, 'id'>, typeof TEXT> & { id: typeof TEXT & { multiple: true } }
> = {
  group: TEXT,
  id: { ...TEXT, multiple: true },
  reason: TEXT,
  'older-than': TEXT,
  match: TEXT,
}

type SelectionValues = {
  readonly [Name in SelectionOption]?: (Name extends 'id' ? readonly string[] : string) | undefined
}

/** @throws UsageError */
export function readSelection(values: SelectionValues): Selection {
  const { group, id, reason, match } = values
  for (const [name, value] of Object.entries({ group, id, reason, match })) {
    if ([value].flat().includes('')) throw new UsageError(`--${name}: expected a value, got ""`)
  }
  const olderThan = readDuration('--older-than', values['older-than'])
  return { group, ids: id, reason, match, olderThan }
}

export function isSelective(values: SelectionValues): boolean {
  return Object.keys(SELECTION).some((name) => values[name as keyof SelectionValues] !== undefined)
}

/** A whole number from 1. @throws UsageError */
export function readCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,6}$/.test(text))
    return text === undefined ? undefined : Number(text)
  throw new UsageError(`${option}: expected a whole number from 1, got ${JSON.stringify(text)}`)
}

/** Options that all dlq commands pass on. */
export function sharedOptions(
  io: Io,
  progress: Pick<Progress, 'at'>,
  signal: AbortSignal,
): Pick<QueueOptions, 'sqs' | 'clock' | 'sourceQueue' | 'signal' | 'onProgress'> {
  return {
    sqs: io.sqs(),
    clock: io.clock,
    sourceQueue: io.change.force ? 'accept' : 'refuse',
    signal,
    onProgress: (looked, of) => progress.at(looked, of),
  }
}

/** Ends the progress line even if the work fails. */
export async function withProgress<T>(
  io: Io,
  what: string,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = io.progress(what)
  try {
    return await work(progress)
  } finally {
    progress.end()
  }
}

/** `1 dead letter`, `2 dead letters`. */
export function deadLetterCount(count: number): string {
  return `${count} dead ${count === 1 ? 'letter' : 'letters'}`
}

export const MORE =
  'There are more dead letters than can be held at once. Run the command again when these are gone.'

export const FIFO_HEADS =
  'FIFO queue: only the first dead letters of each message group are visible; later ones become visible when these are gone'
