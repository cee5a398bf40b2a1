import { expect, it } from 'vitest'
import { doTasks } from './doTasks.ts'
import { mouse } from './hands.ts'
import { TASKS } from './tasks.ts'

doTasks('by mouse', mouse)

it('each is seen to be done', () => {
  expect(Object.values(TASKS).filter((steps) => !steps.some((step) => 'see' in step))).toEqual([])
})
