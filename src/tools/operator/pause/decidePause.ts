import type { FoundMapping } from './findMappings.ts'
import type { Pause } from '../../../sweeper/pause/pauseRow.ts'

/**
 * What happens to one mapping. `pause`: it is disabled. `change`: it is paused already, and gets another end and reason. `leave`:
 * nothing is to be done, or may be. `unsettled`: Lambda is changing it, so that it cannot be told whether it is enabled.
 */
export type PauseVerdict =
  | { readonly kind: 'pause' | 'change'; readonly because: string }
  | { readonly kind: 'leave' | 'unsettled'; readonly because: string }

/** Only what was enabled is paused: a mapping that was disabled before must stay disabled when the pause ends. */
export function decidePause(mapping: FoundMapping, pause: Pause | undefined): PauseVerdict {
  const { state } = mapping
  if (state === 'Deleting') return { kind: 'leave', because: 'it is being deleted' }
  if (pause !== undefined) return { kind: 'change', because: describe(pause, state) }
  switch (state) {
    case 'Enabled':
    case 'Enabling':
      return { kind: 'pause', because: 'it is enabled' }
    case 'Disabled':
    case 'Disabling':
      return {
        kind: 'leave',
        because: 'it was disabled elsewhere: it is not paused, and no resume will enable it',
      }
    default:
      return { kind: 'unsettled', because: `Lambda shows it as ${state}` }
  }
}

function describe({ by, state }: Pause, now: string): string {
  const enabled = now.startsWith('Enabl')
  switch (state) {
    case 'pausing':
      return `a pause by ${by} was begun and not finished`
    case 'resuming':
      return 'a resume was begun and not finished'
    case 'paused':
      return enabled
        ? `${by} has paused it, and it was enabled elsewhere since: it is disabled again`
        : `${by} has paused it: this end and reason replace theirs`
  }
}
