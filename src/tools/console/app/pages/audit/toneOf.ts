import type { Tone } from '../../parts/tones.ts'

const GOOD: ReadonlySet<string> = new Set(['applied', 'done', 'taken', 'nothing', 'asked to pause'])
const BAD: ReadonlySet<string> = new Set(['refused', 'failed', 'stopped', 'begun'])

/** `begun`: the command was killed, and what it has done is not recorded. */
export function toneOf(result: string): Tone {
  if (GOOD.has(result)) return 'good'
  return BAD.has(result) ? 'bad' : 'warn'
}
