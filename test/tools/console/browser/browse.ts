import { type Browser, chromium } from 'playwright-core'
import { it as base, expect, inject } from 'vitest'
import { shopsOnDemand, startPractice } from './shops.ts'
import { type Look, openTab, type Served, type Tab } from './tab.ts'

/** A test in a browser. What must not happen on a page fails it, whatever else it asserts. */
export const it = base
  .extend('browser', { scope: 'worker' }, async ({}, { onCleanup }): Promise<Browser> => {
    const browser = await chromium.connect(inject('chromium'))
    onCleanup(() => browser.close())
    return browser
  })
  .extend('shops', { scope: 'worker' }, ({}, { onCleanup }) => {
    const stops: (() => Promise<void>)[] = []
    onCleanup(async () => {
      await Promise.all(stops.map((stop) => stop()))
    })
    return shopsOnDemand((stop) => stops.push(stop))
  })
  .extend('practice', { scope: 'file' }, async ({}, { onCleanup }) => startPractice(onCleanup))
  // A page whose server ends before it is closed has a problem.
  .extend('afterTabs', ({}, { onCleanup }) => {
    const ends: (() => unknown)[] = []
    onCleanup(async () => {
      await Promise.all(ends.map((end) => end()))
    })
    return (end: () => unknown): void => void ends.push(end)
  })
  .extend('tabOf', ({ browser, afterTabs: _first }, { onCleanup }) => {
    const tabs: Tab[] = []
    onCleanup(async () => {
      await Promise.all(tabs.map((tab) => tab.close()))
      expect(tabs.flatMap(({ problems }) => problems)).toEqual([])
    })
    return async (served: Served, look?: Look): Promise<Tab> => {
      const tab = await openTab(browser, served, look)
      tabs.push(tab)
      return tab
    }
  })
