import { describe, expect, it } from 'vitest'
import { decideStage, decideStart } from '../../../src/library/protocol/claim/stage/decideStage.ts'
import { type Given, idle, NOW, request, running } from './given.ts'

const PROCESSES = ['newest', 'every'] as const
const other = { newest: 'every', every: 'newest' } as const
const refused = { kind: 'refuse', because: 'process' }

describe.each(PROCESSES)('a record that began under the process %s', (process) => {
  const given: Given = { process }
  const changed = other[process]
  it.each([
    ['its own request', {}],
    ['a newer request', { uniqueRequestId: 'r5', sentAt: 6 }],
    ['an older request', { uniqueRequestId: 'r3', sentAt: 4 }],
    ['a dead letter', { death: 3 }],
    ['what its schema refuses', { refused: true }],
  ])('refuses %s of a flow that has the other process by now, idle or not', (_what, more) => {
    for (const record of [idle(given), running(given)]) {
      const message = request({ process: changed, ...more })
      expect(decideStart(record, message, NOW)).toEqual(refused)
      expect(decideStage(record, message, NOW)).toEqual(refused)
    }
  })

  it('takes them when the process was set back', () => {
    expect(decideStart(running(given), request({ process }), NOW).kind).toBe('begin')
    expect(decideStage(running(given), request({ process }), NOW).kind).toBe('begin')
  })
})
