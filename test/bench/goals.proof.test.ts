import { expect, it } from 'vitest'
import { QUICK } from './effort.ts'
import { GOALS } from './goals.ts'
import type { Part } from './measured.ts'
import { counts } from './measure/counts.ts'
import { flows } from './measure/flows.ts'
import { seconds } from './measure/seconds.ts'
import { startDatabase } from './database/startDatabase.ts'

/** The other parts take minutes: their goals show as not measured. */
it.each<[string, Part]>([
  ['counts', counts],
  ['flows', flows],
  ['seconds', seconds],
])('%s measures what its goals are about', async (name, part) => {
  const database = await startDatabase()
  const { figures } = await part.measure({ database, effort: QUICK, directory: '' })
  await database.stop()
  const goals = GOALS.filter((goal) => goal.part === name)
  expect(goals.length).toBeGreaterThan(1)
  expect(goals.filter(({ figure }) => figures[figure] === undefined)).toEqual([])
})
