import { afterAll, describe, expect, it } from 'vitest'
import { sampled } from '../../depth.ts'
import { print, tableOf } from '../report.ts'
import { exploreWithout } from './exploreWithout.ts'
import { protections } from './protections.ts'

const rows: string[][] = [['direct invocation without the protection', 'what breaks', 'schedules']]
const needed = protections.filter(({ survives }) => survives === undefined)

/** A check that cannot fail proves nothing: without one of its parts the protocol must break. */
describe('each protection of a direct invocation is needed', () => {
  it.each(sampled(needed, 4))('$name', async (protection) => {
    const { finding, schedules } = await exploreWithout(protection)
    rows.push([protection.name, finding?.what ?? 'NOTHING', String(schedules)])
    expect(finding).toBeDefined()
  })

  afterAll(() => print(tableOf(rows)))
})
