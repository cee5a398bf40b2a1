import type { ExitCode, Io } from './command.ts'

export type DlqOutcome = 'planned' | 'applied' | 'nothing' | 'incomplete'

export function modeOf(io: Io): 'plan' | 'apply' {
  return io.change.apply ? 'apply' : 'plan'
}

/** A selection that matches nothing counts as not found. */
export function exitOf(outcome: DlqOutcome, selective: boolean): ExitCode {
  if (outcome === 'nothing') return selective ? 4 : 0
  return outcome === 'incomplete' ? 1 : 0
}

/** How the run ended, and what to type next. */
export function endLines(
  { mode, ended, more }: Reached,
  outcome: DlqOutcome,
  io: Io,
): readonly string[] {
  if (outcome === 'nothing') return ['Nothing to do: no dead letter matches.']
  if (ended === 'stopped')
    return ['Stopped: none of the last dead letters was accepted. Run the command again.']
  if (ended === 'aborted') return ['Interrupted. Run the command again to continue.']
  const rest = more
    ? ['There are more dead letters than can be held at once. Run the command again.']
    : []
  if (mode === 'apply') return rest
  return [
    ...rest,
    'Nothing was changed: this is the plan. To make the change:',
    `  ${io.change.line} --apply`,
  ]
}

interface Reached {
  readonly mode: 'plan' | 'apply'
  readonly ended: 'complete' | 'stopped' | 'aborted'
  readonly more: boolean
}
