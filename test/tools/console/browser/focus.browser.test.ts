import { expect } from 'vitest'
import type { SaveAnswer } from '../../../../src/tools/console/dev/types.ts'
import { it } from './browse.ts'
import { keyboard, see } from './hands.ts'

it('a test is written by keyboard alone, and the focus stays in its dialog', async ({
  shops,
  tabOf,
}) => {
  const tab = await tabOf(await shops.dev())
  const hands = keyboard(tab)
  // The file would stand among the examples.
  await tab.page.route('**/api/dev/save', async (route) => {
    const [file, was, text] = ['dev.run.test.ts', 'No book was wrong', 'import dev']
    const run = `npx vitest run ${file}`
    const json = { file, was, text, run, messages: 1, faults: 0 } satisfies SaveAnswer
    await route.fulfill({ json })
  })
  await tab.open('/dev')
  await hands.choose(/^Send to orders/)
  await see(tab, /#\d[\s\S]*all right, at rest/)
  await hands.choose(/^Save this run as a test/)
  await see(tab, /Written: dev\.run\.test\.ts[\s\S]*Run it/)
  expect(await tab.page.evaluate(() => document.activeElement?.closest('dialog')?.open)).toBe(true)
  await tab.page.keyboard.press('Escape')
  await see(tab, /Faults/)
  expect(await tab.page.evaluate(() => document.activeElement?.textContent)).toMatch(
    /^Save this run/,
  )
})
