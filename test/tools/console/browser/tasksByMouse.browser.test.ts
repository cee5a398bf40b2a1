import { expect, it } from 'vitest'
import { doTasks } from './doTasks.ts'
import { mouse } from './hands.ts'
import { TASKS } from './tasks.ts'
import { TASKS as OF_THE_RUNBOOK } from '../../../documents/broken/tasks.ts'

doTasks('by mouse', mouse)

it('they are all that the runbook has, and each is seen to be done', () => {
  expect(Object.keys(TASKS)).toHaveLength(OF_THE_RUNBOOK.length)
  expect(Object.values(TASKS).filter((steps) => !steps.some((step) => 'see' in step))).toEqual([])
})
