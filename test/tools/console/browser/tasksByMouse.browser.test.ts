import { expect, it } from 'vitest'
import { isWhole } from '../../../proof/depth.ts'
import { doTasks } from './doTasks.ts'
import { mouse } from './hands.ts'
import { TASKS as BY_COMMANDS } from '../../../documents/broken/tasks.ts'
import { STEPS, stepsOf, TASKS } from './tasks.ts'

// The other tests of the browser use the mouse, too.
if (isWhole) doTasks('by mouse', mouse)

it('they are those that are done by commands, in as few steps, and each is seen to be done', () => {
  const names = BY_COMMANDS.map(({ name }) => name)
  expect(Object.keys(TASKS).toSorted()).toEqual(names.toSorted())
  const long = Object.entries(TASKS).filter(([, steps]) => stepsOf(steps) > STEPS)
  expect(long.map(([name]) => name)).toEqual([])
  expect(Object.values(TASKS).filter((steps) => !steps.some((step) => 'see' in step))).toEqual([])
})
