import { describe, expect, it } from 'vitest'
import { hasToUndo } from '../../../src/claim/stage/decideConflict.ts'
import type { StageEntry } from '../../../src/claim/stage/stageEntry.ts'
import type { StageRun } from '../../../src/claim/stage/stageRecord.ts'
import { readPlan, stagesToUndo, writePlan } from '../../../src/features/undo/decideEnding.ts'

const stages = ['book', 'pay'].map((stage) => ({ stage, queueUrl: `https://sqs/1/${stage}` }))
const plan = (inSql: boolean) => ({ sentAt: 5, stages, inSql, undoDead: false })
const settled: StageEntry = { status: 'settled', ends: false, sentTo: [] }

function run(inSql: boolean, begun: readonly string[], marks: readonly string[] = []): StageRun {
  return {
    uniqueRequestId: 'r',
    giveUpAt: 9,
    stages: new Map(begun.map((stage) => [stage, settled])),
    marks: new Set(marks),
    reopened: false,
    undoPlan: writePlan(plan(inSql)),
    ending: undefined,
  }
}

describe('the plan of an undo', () => {
  it.each([true, false])('is read as it was written (in SQL: %s)', (inSql) => {
    expect(readPlan(writePlan(plan(inSql)))).toEqual(plan(inSql))
  })

  it('has the tenant behind the queue of the first stage', () => {
    const text = writePlan({ ...plan(false), tenant: 'a' })
    expect(readPlan(text)).toEqual({ ...plan(false), tenant: 'a' })
    expect(text).toBe('[5,["book","https://sqs/1/book","a"],["pay","https://sqs/1/pay"]]')
  })

  it.each(['sql', 'sql{}', 'sql[5,["book"]]', '{}'])('is unreadable as %s', (text) => {
    expect(() => readPlan(text)).toThrow(Error)
  })
})

describe('an awaited step, which is declared after the stages', () => {
  const parts = [...stages, { stage: 'paid', queueUrl: 'https://sqs/1/paid' }]
  const to = (...sentTo: readonly string[]): StageEntry => ({
    status: 'settled',
    ends: false,
    sentTo,
  })
  const names = (begun: Readonly<Record<string, StageEntry>>) =>
    stagesToUndo(
      { ...plan(true), stages: parts },
      { marks: new Set(), stages: new Map(Object.entries(begun)) },
    ).map(({ stage }) => stage)

  it('is undone between the stage that it led to and the one that waited for it', () => {
    expect(names({ book: to('paid'), paid: to('pay'), pay: settled })).toEqual([
      'pay',
      'paid',
      'book',
    ])
    expect(names({ book: to('paid'), paid: to('pay') })).toEqual(['paid', 'book'])
  })

  it('also when a stage between them has no undo', () => {
    expect(
      names({ book: to('x'), x: to('paid'), paid: to('y'), y: to('pay'), pay: settled }),
    ).toEqual(['pay', 'paid', 'book'])
  })

  it('is undone in the order of the declaration when neither has led to the other', () => {
    expect(names({ book: settled, paid: settled, pay: settled })).toEqual(['paid', 'pay', 'book'])
  })

  it('is undone all the same when the record says that each has led to the other', () => {
    expect(names({ book: to('paid'), paid: to('book') }).toSorted()).toEqual(['book', 'paid'])
  })
})

describe('a run whose effects may be in SQL', () => {
  it('may have some as soon as a stage with undo has begun', () => {
    expect(hasToUndo(run(true, ['book']))).toBe(true)
    expect(hasToUndo(run(true, ['ship', 'boo', 'book2']))).toBe(false)
    expect(hasToUndo(run(false, ['book']))).toBe(false)
    expect(hasToUndo(run(false, ['book'], ['book:reserve']))).toBe(true)
  })

  it('asks each stage that has begun, the last one first, and no other', () => {
    const names = (one: StageRun, inSql: boolean) =>
      stagesToUndo(plan(inSql), one).map(({ stage }) => stage)
    expect(names(run(true, ['book', 'pay']), true)).toEqual(['pay', 'book'])
    expect(names(run(true, ['book']), true)).toEqual(['book'])
    expect(names(run(false, ['book', 'pay'], ['book:a']), false)).toEqual(['book'])
  })
})
