import type { StatusFinding } from '../../../src/tools/operator/status/finding.ts'

/** A kind that no world has was not judged. */
const KINDS: Readonly<Record<StatusFinding['kind'], true>> = {
  'wrong clock': true,
  'unknown outcome': true,
  'dead letters': true,
  'no consumer': true,
  failing: true,
  'lost record': true,
  'no dead letter': true,
  dead: true,
  stopped: true,
  throttled: true,
  sweeper: true,
  'no progress': true,
  backlog: true,
  stalled: true,
  overdue: true,
  'long wait': true,
  'long run': true,
  retrying: true,
  operation: true,
  circuitOpen: true,
  paused: true,
}

export const everyKind: readonly string[] = Object.keys(KINDS)
