import { expect } from 'vitest'
import { it } from './browse.ts'
import { mouse } from './hands.ts'

it('one run has three forms, each with its address, and times above its bars', async ({
  shops,
  tabOf,
}) => {
  const tab = await tabOf(await shops.broken())
  const { page } = tab
  const look = async () => ({
    view: new URL(page.url()).searchParams.get('view'),
    form: await page.locator('.tabs [aria-current]').innerText(),
    lanes: await page.locator('.waterfall .lane').count(),
    bars: await page.locator('.waterfall .bar-shape').count(),
    ticks: await page.locator('.axis .tick').allInnerTexts(),
    events: await page.getByRole('table', { name: 'What happened' }).count(),
  })
  await tab.open('/request?id=parcels/parcel-53')
  const timeline = await look()
  expect(timeline).toMatchObject({ view: null, form: 'Timeline', events: 0 })
  expect(timeline.ticks.length).toBeGreaterThan(1)
  expect(timeline.ticks.filter((each) => !/^[\d:.-]+$/.test(each))).toEqual([])
  const { lanes, bars, ticks } = timeline
  expect(bars).toBeGreaterThan(lanes)

  await mouse(tab).choose(/^Compact$/)
  const compact = { view: 'compact', form: 'Compact', lanes: 0, bars, ticks, events: 0 }
  expect(await look()).toEqual(compact)
  await page.reload()
  await tab.settled()
  expect(await look()).toEqual(compact)
  expect(await page.locator('.waterfall ol > li:not(.axis)').count()).toBe(lanes)

  await mouse(tab).choose(/^Full$/)
  expect(await look()).toEqual({ ...timeline, view: 'full', form: 'Full', events: 1 })
  await mouse(tab).choose(/^Timeline$/)
  expect(await look()).toEqual(timeline)
})
