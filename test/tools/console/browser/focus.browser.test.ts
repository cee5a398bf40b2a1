import { expect } from 'vitest'
import { it } from './browse.ts'
import { keyboard, see } from './hands.ts'

it('a test is written by keyboard alone, and the focus stays in its dialog', async ({
  shops,
  tabOf,
}) => {
  const tab = await tabOf(await shops.dev())
  const hands = keyboard(tab)
  // The answer is the server's own, but the file would stand among the examples.
  await tab.page.route('**/api/dev/save', async (route) => {
    const { write, ...body } = route.request().postDataJSON() as Record<string, unknown>
    const response = await route.fetch({ postData: { ...body, write: false } })
    const answer = (await response.json()) as object
    await route.fulfill({ response, json: { ...answer, written: write } })
  })
  await tab.open('/dev')
  await hands.choose(/^Send to orders/)
  await see(tab, /#\d[\s\S]*all right, at rest/)
  await hands.choose(/^Save this run as a test/)
  await hands.choose(/^Write /)
  await see(tab, /Written\. Run it/)
  expect(await tab.page.evaluate(() => document.activeElement?.closest('dialog')?.open)).toBe(true)
  await tab.page.keyboard.press('Escape')
  await see(tab, /Faults/)
  expect(await tab.page.evaluate(() => document.activeElement?.textContent)).toMatch(
    /^Save this run/,
  )
})
