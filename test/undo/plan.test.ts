import { describe, expect, it } from 'vitest'
import { hasToUndo } from '../../src/claim/stage/decideConflict.ts'
import type { StageEntry } from '../../src/claim/stage/stageEntry.ts'
import type { StageRun } from '../../src/claim/stage/stageRecord.ts'
import { readPlan, stagesToUndo, writePlan } from '../../src/undo/undoPlan.ts'

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

  it.each(['sql', 'sql{}', 'sql[5,["book"]]', '{}'])('is unreadable as %s', (text) => {
    expect(() => readPlan(text)).toThrow(Error)
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
