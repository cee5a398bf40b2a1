import { describe, expect } from 'vitest'
import { it } from './browse.ts'
import { keyboard, mouse } from './hands.ts'
import { operate } from './operate.ts'
import { COMMONEST, FIFTEEN, type Step } from './tasks.ts'
import { TASKS } from '../../../documents/broken/tasks.ts'

describe('by keyboard alone', () => {
  it.for(Object.entries(COMMONEST))('$0', async ([, steps], { shops, tabOf }) => {
    const tab = await tabOf(shops.broken, { reducedMotion: true })
    await tab.open('/')
    await operate(tab, keyboard(tab), steps, shops.broken)
    await tab.settled()
    expect(tab.problems).toEqual([])
  })
})

describe('by mouse, the tasks of an operator', () => {
  it.for(Object.entries(FIFTEEN))('$0', async ([, steps], { practice, tabOf }) => {
    const tab = await tabOf(practice)
    await tab.open('/')
    await operate(tab, mouse(tab), steps, practice)
    await tab.settled()
    expect(tab.problems).toEqual([])
  })

  it('are all that the runbook has', () => {
    expect(Object.keys(FIFTEEN)).toHaveLength(TASKS.length)
    const every: readonly (readonly Step[])[] = Object.values(FIFTEEN)
    expect(every.every((steps) => steps.some((step) => 'see' in step))).toBe(true)
  })
})
