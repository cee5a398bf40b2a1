import type { StageMessage } from './stageMessage.ts'
import { isAtEnd, type StageEntry } from './stageEntry.ts'

/** The names that a definition knows, and those which the stage of the message had in earlier ones. */
export interface StageNames {
  readonly known: ReadonlySet<string>
  readonly former: readonly string[]
}

type NameInRun =
  | { readonly kind: 'named'; readonly stage: string }
  /** The run waits for a stage that no definition knows: this message must be its. */
  | { readonly kind: 'unknown'; readonly stage: string }

/**
 * A run that began before its stage was renamed continues under the name it began with: its marks, the ids of what it sends, and
 * the stages that it waits for are of that name.
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
