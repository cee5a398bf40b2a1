import { describe, expect } from 'vitest'
import { it } from './browse.ts'
import type { Hands } from './hands.ts'
import { operate } from './operate.ts'
import type { Tab } from './tab.ts'
import { TASKS } from './tasks.ts'

/** A test for each task of an operator, in a broken shop of this file. In their order: a task finds what the ones before have left. */
export function doTasks(way: string, handsOf: (tab: Tab) => Hands): void {
  describe(`the tasks of an operator, ${way}`, () => {
    it.for(Object.entries(TASKS))('$0', async ([, steps], { practice, tabOf }) => {
      const tab = await tabOf(practice, { reducedMotion: true })
      await tab.open('/')
      await operate(tab, handsOf(tab), steps, practice)
      await tab.settled()
      expect(tab.problems).toEqual([])
    })
  })
}
