import { describe, expect, it } from 'vitest'
import { exploreWell } from './report.ts'
import { scenarios } from './scenarios.ts'

const MINUTES = 60_000 * 30

describe('schedules that are counted and not run', () => {
  it.each(['lastAttempt', 'verify'] as const)(
    '%s: run, they are as many, and break nothing either',
    async (name) => {
      const { covered } = await exploreWell(scenarios[name])
      const everyOne = await exploreWell(scenarios[name], { again: true })
      expect(everyOne).toMatchObject({ schedules: covered, whole: true, violation: undefined })
    },
    MINUTES,
  )
})
