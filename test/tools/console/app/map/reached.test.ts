import { describe, expect, it } from 'vitest'
import { reachedBy } from '../../../../../src/tools/console/app/map/reached.ts'
import { system } from './system.ts'

type Facts = Parameters<typeof reachedBy>[1][number]

function reached(...facts: readonly object[]): readonly string[] {
  return [...reachedBy(system, facts as readonly Facts[])].toSorted()
}

describe('a request has come to', () => {
  it('its consumer, its queue, and the topic before it', () => {
    expect(reached({ kind: 'request', of: 'orders' })).toEqual([
      'function:worker',
      'queue:orders',
      'topic:orders',
    ])
  })

  it('the queue of a stage that its message is on the way to, and not to the stage', () => {
    const stages = [
      { name: 'validate', status: 'done' },
      { name: 'charge', status: 'coming' },
    ]
    expect(reached({ kind: 'flow', of: 'checkout', run: { stages } })).toEqual([
      'function:validate',
      'queue:charge',
      'queue:validate',
    ])
  })

  it('the step that it waits for', () => {
    expect(reached({ kind: 'step', of: 'checkout', step: 'found' })).toEqual(['step:found'])
  })

  it('the stages of a dead run', () => {
    const stages = [{ name: 'validate', status: 'dead' }]
    expect(reached({ kind: 'deadRun', of: 'checkout', stages })).toContain('function:validate')
  })

  it('nothing of another flow or consumer', () => {
    const stages = [{ name: 'validate', status: 'done' }]
    expect(reached({ kind: 'flow', of: 'other', run: { stages } })).toEqual([])
    expect(reached({ kind: 'request', of: 'other' })).toEqual([])
    expect(reached({ kind: 'flow', of: 'checkout', run: undefined })).toEqual([])
  })
})
