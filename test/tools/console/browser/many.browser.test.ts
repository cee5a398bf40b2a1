import { env } from 'node:process'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { it } from './browse.ts'
import { MANY, OF_REFUNDS } from './manyItems.ts'
import type { Tab } from './tab.ts'

/** Milliseconds. What is aimed at is 1,500; a busy machine must not fail it. */
const FIRST_ROWS = 10_000
/** Bytes. */
const MEMORY = 80 * 1024 ** 2
const MOST_ROWS = 60
/** Rows that are scrolled through. All 100,000 take a minute: `LINECLEAR_MODEL=deep`. */
const SCROLLED = env['LINECLEAR_MODEL'] === 'deep' ? MANY : 4_000

it('100,000 open items: the first rows soon, 60 rows in the document and 80 MB in the server at most', async ({
  shops,
  tabOf,
}) => {
  const many = await shops.many()
  const tab = await tabOf(many)
  await tab.open('/search')
  const before = heapUsed()
  const began = performance.now()
  await tab.page.goto(`${many.origin}/tasks`)
  await rowOf(tab.page, 0).waitFor()
  const firstRows = performance.now() - began
  const { rows, bytes } = await scrollTo(tab, SCROLLED - 1)
  const grown = Math.max(0, bytes - before)
  console.log(
    `100,000 open items: first rows after ${Math.round(firstRows)} ms, ${rows} rows in the document, ${Math.round(grown / 1024 ** 2)} MB more in the server`,
  )
  expect(firstRows).toBeLessThan(FIRST_ROWS)
  expect(rows).toBeLessThanOrEqual(MOST_ROWS)
  expect(grown).toBeLessThan(MEMORY)
})

it('a long listing is scrolled to its end', async ({ shops, tabOf }) => {
  const tab = await tabOf(await shops.many())
  await tab.open('/tasks?consumer=refunds')
  const { rows } = await scrollTo(tab, OF_REFUNDS - 1)
  expect(rows).toBeLessThanOrEqual(MOST_ROWS)
  const last = tab.page.locator('tbody tr:not(.gap)').last()
  expect(await last.innerText()).toContain(`refunds/order-${MANY - 1}`)
})

/** By its number, from 0. */
function rowOf(page: Page, number: number) {
  // The first row of a table is its head.
  return page.locator(`tr[aria-rowindex="${number + 2}"]:not(.missing)`)
}

/** Each time to the end of what is loaded. @returns the most of both on the way */
async function scrollTo(tab: Tab, row: number): Promise<{ rows: number; bytes: number }> {
  const table = tab.page.getByRole('table', { name: 'Open items' })
  let rows = 0
  let bytes = 0
  while (!(await rowOf(tab.page, row).isVisible())) {
    const drawn = await table.evaluate((element) => {
      const box = element.closest('.table')
      if (box !== null) box.scrollTop = box.scrollHeight
      return element.querySelectorAll('tbody tr:not(.gap)').length
    })
    await tab.settled()
    rows = Math.max(rows, drawn)
    bytes = Math.max(bytes, heapUsed())
  }
  return { rows, bytes }
}

/** Bytes that this process holds, in which the server runs. */
function heapUsed(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
