import { env } from 'node:process'
import { expect } from 'vitest'
import { it } from './browse.ts'
import { MANY } from './manyItems.ts'
import type { Tab } from './tab.ts'

/** Milliseconds. What is aimed at is 1,500; a busy machine must not fail it. */
const FIRST_ROWS = 10_000
/** Bytes. */
const MEMORY = 80 * 1024 ** 2
const MOST_ROWS = 60
/** Pages that are read. All of 100,000 items take minutes: `LINECLEAR_MODEL=deep`. */
const PAGES = env['LINECLEAR_MODEL'] === 'deep' ? Number.POSITIVE_INFINITY : 30

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
  await rowsOf(tab).first().waitFor()
  const firstRows = performance.now() - began
  const { rows, bytes } = await readPages(tab, PAGES)
  const grown = Math.max(0, bytes - before)
  console.log(
    `100,000 open items: first rows after ${Math.round(firstRows)} ms, ${rows} rows in the document, ${Math.round(grown / 1024 ** 2)} MB more in the server`,
  )
  expect(firstRows).toBeLessThan(FIRST_ROWS)
  expect(rows).toBeLessThanOrEqual(MOST_ROWS)
  expect(grown).toBeLessThan(MEMORY)
})

it('a long listing is read to its end, and back to its beginning', async ({ shops, tabOf }) => {
  const tab = await tabOf(await shops.many())
  await tab.open('/tasks?consumer=refunds')
  const first = await rowsOf(tab).first().innerText()
  await readPages(tab, Number.POSITIVE_INFINITY)
  expect(await rowsOf(tab).last().innerText()).toContain(`refunds/order-${MANY - 1}`)
  await tab.page.getByRole('link', { name: 'First items' }).click()
  await tab.settled()
  expect(idIn(await rowsOf(tab).first().innerText())).toBe(idIn(first))
})

function rowsOf({ page }: Tab) {
  return page.getByRole('table', { name: 'Open items' }).locator('tbody tr')
}

function idIn(row: string): string | undefined {
  return /\S+\/\S+/.exec(row)?.[0]
}

/** @returns the most of both on the way */
async function readPages(tab: Tab, most: number): Promise<{ rows: number; bytes: number }> {
  const next = tab.page.getByRole('link', { name: 'Next items' })
  let [rows, bytes] = [0, 0]
  for (let page = 1; ; page += 1) {
    rows = Math.max(rows, await rowsOf(tab).count())
    bytes = Math.max(bytes, heapUsed())
    if (page >= most || (await next.count()) === 0) return { rows, bytes }
    await next.click()
    await tab.settled()
  }
}

/** Bytes that this process holds, in which the server runs. */
function heapUsed(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
