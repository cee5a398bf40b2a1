import { expect } from 'vitest'
import { addressesOf, paths } from './addresses.ts'
import { it } from './browse.ts'
import type { Tab } from './tab.ts'

/** What a page shows, without what grows by itself. */
async function shown({ page }: Tab): Promise<string> {
  const text = await page.locator('main').innerText()
  return text.replaceAll(/\d+/g, '#').replaceAll(/# (ms|s|min|h|d|hours?|days?)\b/g, '# time')
}

it('reload, back and a pasted link show the same page', async ({ shops, tabOf }) => {
  const tab = await tabOf(await shops.empty())
  const other = await tabOf(await shops.empty())
  const addresses = [
    ...paths().flatMap((path) => addressesOf(path, 'empty')),
    '/tasks?consumer=orders&status=error&older=1h&due=1',
    '/letters?queue=dead&reason=terminal&match=bank',
    '/request?id=orders/order-1&view=full',
    '/history?since=30d&who=ann&action=dlq',
  ]
  await tab.open('/')
  for (const address of addresses) {
    await tab.go(address)
    const first = await shown(tab)
    await tab.go('/history?since=1d')
    await tab.page.goBack()
    await tab.settled()
    expect(await shown(tab), `back to ${address}`).toBe(first)
    await tab.page.reload()
    await tab.settled()
    expect(await shown(tab), `${address} loaded again`).toBe(first)
    await other.open(address)
    expect(await shown(other), `${address} pasted`).toBe(first)
  }
})
