import type { RequestHistory } from '../../../src/library/protocol/claim/stage/requestHistory.ts'
import {
  type DeadRun,
  deadRunKey,
  readDeadRun,
} from '../../../src/library/protocol/claim/stage/deadRun.ts'
import { KEY } from './given.ts'

/** `r4`, which died in epoch 3 at fence 6, with the entries of its stages as they stand in the table. */
export function deadRunGiven(stages: Readonly<Record<string, string>> = {}): DeadRun {
  const entries = Object.entries(stages).map(([name, entry]) => [`stage:${name}`, entry] as const)
  const item = {
    ...deadRunKey(KEY, 'r4'),
    uniquerequestid: 'r4',
    epoch: 3,
    fence: 6,
    restored: '["charge:sale"]',
    ...Object.fromEntries(entries),
  }
  const read = readDeadRun(item)
  if (read === undefined) throw new Error('the given item cannot be read')
  return read
}

/** Looked up at epoch 3, and nothing found, unless said otherwise. */
export function historyGiven(given: Partial<RequestHistory> = {}): RequestHistory {
  return { epoch: 3, deadRun: undefined, end: undefined, ...given }
}
