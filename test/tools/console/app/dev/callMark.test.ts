import { describe, expect, it } from 'vitest'
import {
  callMarks,
  inRuns,
  withoutRoutine,
} from '../../../../../src/tools/console/app/dev/callMark.ts'
import { call } from '../stream/events.ts'

describe('the marks of an invocation', () => {
  it('are one for each call, in their order, whatever ended first', () => {
    const marks = callMarks([call(1, { call: 2 }), call(1, { call: 1 })])
    expect(marks.map((mark) => mark.call)).toEqual([1, 2])
  })

  it('join the attempts of a call', () => {
    const [mark] = callMarks([
      call(1, { began: 10, at: 20, outcome: 'failed', fault: 'loseAnswer', error: 'TimeoutError' }),
      call(1, { began: 30, at: 70, attempt: 2 }),
    ])
    expect(mark).toMatchObject({ state: 'retried', fault: 'answer lost', took: 60 })
    expect(mark?.why).toEqual(['answer lost', '2 attempts'])
    expect(mark?.title).toBe('1. claims orders/o-1 · answer lost · 2 attempts')
  })

  it('say what killed it', () => {
    const [mark] = callMarks([call(1, { outcome: 'never', fault: 'killAfter' })])
    expect(mark).toMatchObject({ state: 'never', fault: 'killed after it' })
  })

  it('say the error where no fault was injected', () => {
    const [mark] = callMarks([
      call(1, { outcome: 'failed', error: 'ConditionalCheckFailedException' }),
    ])
    expect(mark).toMatchObject({ state: 'failed', fault: undefined })
    expect(mark?.title).toContain('ConditionalCheckFailedException')
  })

  it('leave out the routine, but not what was struck, and not all', () => {
    const marks = callMarks([
      call(1),
      call(1, { call: 2, words: 'takes orders/o-1' }),
      call(1, { call: 3, effect: 'reserve' }),
      call(1, { call: 4, words: 'completes orders/o-1', outcome: 'never', fault: 'killBefore' }),
    ])
    expect(withoutRoutine(marks).map(({ word }) => word)).toEqual(['takes', 'reserve', 'completes'])
    expect(withoutRoutine(marks.slice(0, 1))).toHaveLength(1)
  })

  it('are one where they look the same and follow one another', () => {
    const reserve = { effect: 'reserve' }
    const marks = callMarks([
      call(1),
      call(1, { call: 2, ...reserve }),
      call(1, { call: 3, ...reserve }),
      call(1, { call: 4, ...reserve, outcome: 'never', fault: 'killBefore' }),
    ])
    expect(inRuns(marks).map(({ mark, times }) => [mark.call, mark.word, times])).toEqual([
      [1, 'claims', 1],
      [2, 'reserve', 2],
      [4, 'reserve', 1],
    ])
  })

  it.each([
    [{ effect: 'reserve' }, 'reserve', 'effect'],
    [{ to: 'paid', words: 'sends to paid' }, '→ paid', 'send'],
    [{ words: 'claims orders/o-1' }, 'claims', 'other'],
  ] as const)('have a word: %j', (given, word, kind) => {
    expect(callMarks([call(1, given)])).toMatchObject([{ word, kind }])
  })
})
