import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { isAcknowledged, type Settlement } from '../../src/library/protocol/claim/settlement.ts'

const README = readFileSync(
  resolve(import.meta.dirname, '../../src/library/run/deliver/README.md'),
  'utf8',
)

/** One settlement of each kind; the compiler misses none. */
const SETTLEMENTS: { readonly [Kind in Settlement['kind']]: Settlement } = {
  completed: { kind: 'completed' },
  duplicate: { kind: 'duplicate' },
  alreadyDeadLettered: { kind: 'alreadyDeadLettered' },
  stale: { kind: 'stale' },
  superseded: { kind: 'superseded' },
  reset: { kind: 'reset' },
  dropped: { kind: 'dropped' },
  coalesced: { kind: 'coalesced' },
  late: { kind: 'late' },
  accepted: { kind: 'accepted' },
  replaced: { kind: 'replaced' },
  resent: { kind: 'resent', resendNumber: 1, until: 1 },
  deadLettered: { kind: 'deadLettered', reason: 'exhausted' },
  retrying: { kind: 'retrying', until: 1 },
  deferred: { kind: 'deferred', until: 1 },
  notStarted: { kind: 'notStarted' },
  timedOut: { kind: 'timedOut', until: 1 },
  failed: { kind: 'failed', error: new Error('x') },
}

it('the lists of ends name each kind, and whether it is acknowledged', () => {
  const listed = [true, false].flatMap((acknowledged) => {
    const [, list = ''] = README.split(
      acknowledged ? '\nAcknowledged:\n\n' : '\nNot acknowledged:\n\n',
    )
    const [own = ''] = list.split('\n\n')
    return [...own.matchAll(/^- `(\w+)`: /gm)].map(([, kind]) => [kind, acknowledged])
  })
  const kinds = Object.entries(SETTLEMENTS)
  expect(listed).toEqual(kinds.map(([kind, settlement]) => [kind, isAcknowledged(settlement)]))
})
