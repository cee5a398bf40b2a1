import { exploreCrashes } from 'lineclear/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { print, tableOf } from '../report.ts'
import { isWhole } from '../../depth.ts'
import { exploreWithout } from './exploreWithout.ts'
import { protections } from './protections.ts'
import { handlerOf, NIGHT, type ScenarioName, scenarios } from './scenarios.ts'

const LIMIT = 1_800_000
const SOUND = { lost: 0, doubled: 0, stale: 0, stuck: 0, complete: isWhole }

/** Lambda delivers one event: again when an attempt failed or was killed, and at once without a failure. */
describe('schedules of one fault, and of up to two invocations at once', () => {
  const rows: string[][] = [['direct invocation', 'schedules', 'broken']]

  it.each(Object.keys(scenarios) as ScenarioName[])(
    '%s keeps all promises',
    async (name) => {
      const { title, options } = scenarios[name]
      const explored = { as: 'invocation', ...(!isWhole && { limit: 500 }), ...options } as const
      const report = await exploreCrashes(handlerOf(scenarios[name]), NIGHT, explored)
      rows.push([title, String(report.schedules), report.finding?.what ?? 'nothing'])
      expect(report.text).toContain('nothing lost, doubled, stale or stuck')
      expect(report).toMatchObject(SOUND)
    },
    LIMIT,
  )

  afterAll(() => print(tableOf(rows)))
})

/** A retry that takes over too early is a waste, and never a second effect: all effects are fenced. */
describe('a takeover from a holder that is alive', () => {
  const rows: string[][] = [['direct invocation without', 'schedules', 'why nothing breaks']]

  it.each(protections.filter(({ survives }) => survives !== undefined))(
    'breaks nothing: $name',
    async (protection) => {
      const { finding, schedules } = await exploreWithout(protection, isWhole ? 2_500 : 400)
      rows.push([protection.name, String(schedules), String(protection.survives)])
      expect(finding?.what).toBeUndefined()
    },
    LIMIT,
  )

  afterAll(() => print(tableOf(rows)))
})
