import type { StageMessage } from './stageMessage.ts'
import { isAtEnd, type StageEntry } from './stageEntry.ts'

/** The names in the current definition, and the former names of the message's stage. */
export interface StageNames {
  readonly known: ReadonlySet<string>
  readonly former: readonly string[]
}

type NameInRun =
  | { readonly kind: 'named'; readonly stage: string }
  /** The run waits for a stage that no definition knows, which must be the stage of this message. */
  | { readonly kind: 'unknown'; readonly stage: string }

/**
 * A run that began before its stage was renamed continues under the old name: its marks, the ids of the messages it sends, and
 * the stages it waits for use that name.
 */
export function nameInRun(
  stages: ReadonlyMap<string, StageEntry>,
  { stage, after }: Pick<StageMessage, 'stage' | 'after'>,
  { known, former }: StageNames,
): NameInRun {
  const names = after === undefined ? [...stages.keys()] : passedBy(stages.get(after))
  if (stages.has(stage) || names.includes(stage)) return { kind: 'named', stage }
  const before = former.find((name) => names.includes(name))
  if (before !== undefined) return { kind: 'named', stage: before }
  const unknown = names.filter((name) => !known.has(name))
  const open = unknown.find((name) => !isAtEnd(stages.get(name)))
  const [only] = unknown
  if (only === undefined || (after !== undefined && unknown.length > 1)) {
    return { kind: 'named', stage }
  }
  return { kind: 'unknown', stage: open ?? only }
}

function passedBy(sender: StageEntry | undefined): readonly string[] {
  return sender?.status === 'settled' ? sender.sentTo : []
}
