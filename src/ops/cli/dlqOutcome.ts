import type { ExitCode, Io } from './command.ts'

export type DlqOutcome = 'planned' | 'applied' | 'nothing' | 'incomplete'

export function modeOf(io: Io): 'plan' | 'apply' {
  return io.change.apply ? 'apply' : 'plan'
}

/** Of a selection that nothing meets: not found. */
export function exitOf(outcome: DlqOutcome, selective: boolean): ExitCode {
  if (outcome === 'nothing') return selective ? 4 : 0
  return outcome === 'incomplete' ? 1 : 0
}

/** What was reached, and what to do next. */
export function endLines(
  { mode, ended, more }: Reached,
  outcome: DlqOutcome,
  io: Io,
): readonly string[] {
  if (outcome === 'nothing') return ['Nothing to do: no such letter is there.']
  if (ended === 'stopped')
    return ['Stopped: nothing of the last letters was accepted. Run it again.']
  if (ended === 'aborted') return ['Interrupted. Run it again to go on.']
  const rest = more ? ['There are more letters than can be held at once. Run it again.'] : []
  if (mode === 'apply') return rest
  return [
    ...rest,
    'Nothing was changed: this is the plan. To carry it out:',
    `  ${io.change.line} --apply`,
  ]
}

interface Reached {
  readonly mode: 'plan' | 'apply'
  readonly ended: 'complete' | 'stopped' | 'aborted'
  readonly more: boolean
}
