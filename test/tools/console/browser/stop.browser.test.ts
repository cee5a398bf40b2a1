import { expect } from 'vitest'
import { it } from './browse.ts'
import { mouse, see } from './hands.ts'
import { holdOrders } from './heldOrders.ts'

const REDRIVE = /^Send 6 dead letters to orders/
const STOP = { name: 'Stop', exact: true } as const

it('a redrive is stopped from any tab, keeps the rest, goes on later, and sends nothing twice', async ({
  practice,
  tabOf,
}) => {
  await practice.fix('bank')
  const consumeAgain = await holdOrders(practice)
  const tab = await tabOf(practice)
  const { choose, type } = mouse(tab)
  await tab.open('/')
  await choose(REDRIVE)
  await see(tab, /6 exhausted of orders/)
  await type(/^Why/, 'the bank is back')
  await tab.page.getByRole('button', { name: /^Apply/ }).click()
  await see(tab, /[1-5] of 6/)
  const page = new URL(tab.page.url())

  const other = await tabOf(practice)
  await other.open(page.pathname + page.search)
  await other.page.getByRole('button', STOP).click()
  for (const each of [tab, other]) {
    await see(each, /paused[\s\S]*[1-5] of 6[\s\S]*until you continue it/)
    expect(await each.page.getByRole('button', STOP).count()).toBe(0)
  }
  await other.page.reload()
  await see(other, /paused[\s\S]*[1-5] of 6/)

  await consumeAgain()
  await choose(/^Continue/)
  await type(/^Why/, 'go on')
  await choose(/^Apply/)
  await see(tab, /6 of 6[\s\S]*Nothing is left/)
  for (const order of [21, 22, 23, 24, 25, 26]) {
    await other.open(`/request?id=orders/order-${order}`)
    const shown = await see(other, /done[\s\S]*effects applied: reserve[\s\S]*call 'charge': done/)
    expect(shown.match(/effects applied: reserve/g)).toHaveLength(1)
  }
})

it('a plan that is being made is stopped, and has changed nothing', async ({ practice, tabOf }) => {
  const tab = await tabOf(practice)
  const { page } = tab
  await tab.open('/')
  const asked = Promise.withResolvers<void>()
  // As with a queue of many thousands, which takes minutes to look at.
  await page.route('**/api/plan', () => asked.resolve())
  await page.getByRole('button', { name: /^Send 2 dead letters back/ }).click()
  await asked.promise
  await page.locator('dialog').getByRole('button', STOP).click()
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
  await page.unroute('**/api/plan')
  const other = await tabOf(practice)
  await other.open('/history')
  expect(await see(other, /History/)).not.toMatch(/parcels-dead/)
})
