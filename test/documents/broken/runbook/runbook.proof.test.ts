import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrokenShop, startBrokenShop } from '../brokenShop.ts'
import { ALARMS } from './alarmCases.ts'
import { type Cases, follow } from './hand.ts'
import { startLaneCloud } from './lane.ts'
import { REASONS } from './reasonCases.ts'
import { rowsOf, TABLES, type TableName } from './rows.ts'
import { STATES } from './stateCases.ts'

let shop: BrokenShop
let cloud: LocalCloud
beforeAll(async () => {
  ;[shop, cloud] = await Promise.all([startBrokenShop(), startLaneCloud()])
})
afterAll(async () => {
  await Promise.all([shop[Symbol.asyncDispose](), cloud.stop()])
})

const CASES: Readonly<Record<TableName, Cases>> = {
  alarms: ALARMS,
  states: STATES,
  reasons: REASONS,
}

describe.each(Object.keys(TABLES) as TableName[])('the runbook, %s', (table) => {
  const rows = rowsOf(table)
  const cases = CASES[table]

  it('has a case here for each row, and no case is left over', () => {
    expect(Object.keys(cases).toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
  })

  // From the last row up: the first one repairs the bank, and rows below it look at what it has broken.
  it.each(rows.toReversed().filter(({ name }) => name in cases))('$name', async (row) => {
    const left = await follow(row, cases[row.name] as Cases[string], shop, cloud)
    expect(left, 'commands of the row that the case has not typed').toEqual([])
  })
})
