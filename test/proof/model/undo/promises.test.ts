import { expect, it } from 'vitest'
import { sampled } from '../../depth.ts'
import { exploreWell, traceOf } from '../report.ts'
import { undoScenarios, type UndoScenarioName } from './scenarios.ts'

const KILLS = ['killed on the wire', 'clock jumps'] as const

it.each(sampled<UndoScenarioName>(['operator', 'beside'], 2))(
  'the undo of single records, killed at every step: %s',
  async (name) => {
    const report = await exploreWell(undoScenarios[name], { only: KILLS })
    expect(traceOf(report)).toBe('')
    expect(report.whole).toBe(true)
  },
)
