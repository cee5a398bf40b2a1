import { env, stdout } from 'node:process'
import { describe, expect } from 'vitest'
import { paths } from './addresses.ts'
import { it } from './browse.ts'
import type { Hands } from './hands.ts'
import { operate } from './operate.ts'
import type { Tab } from './tab.ts'
import { stepsOf, TASKS } from './tasks.ts'

/** A test for each task of an operator, in a broken shop of this file. In their order: a task finds what the ones before have left. */
export function doTasks(way: string, handsOf: (tab: Tab) => Hands): void {
  /** Paths of pages. */
  const shown = new Set<string>()
  describe(`the tasks of an operator, ${way}`, () => {
    it.for(Object.entries(TASKS))('$0', async ([name, steps], { practice, tabOf }) => {
      const tab = await tabOf(practice, { reducedMotion: true })
      tab.page.on('framenavigated', (frame) => shown.add(new URL(frame.url()).pathname))
      await tab.open('/')
      const hands = handsOf(tab)
      const began = performance.now()
      await operate(tab, hands, steps, practice)
      await tab.settled()
      if (env['LINECLEAR_TIMES'] === '1') {
        const seconds = ((performance.now() - began) / 1_000).toFixed(1)
        stdout.write(`${way} | ${name} | ${stepsOf(steps)} | ${hands.presses()} | ${seconds} s\n`)
      }
      expect(tab.problems).toEqual([])
    })

    it('each page earns its place by one of them', () => {
      expect(paths().filter((path) => !shown.has(path))).toEqual([])
    })
  })
}
