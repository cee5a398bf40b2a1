import { expect } from 'vitest'
import { it } from './browse.ts'

const FAULTS = [
  'unknown outcome',
  'dead letters',
  'no consumer',
  'stalled',
  'long wait',
  'long run',
]

it('the first screen says what is wrong, since when, and what to do', async ({ shops, tabOf }) => {
  const { page, open } = await tabOf(await shops.broken())
  await open('/')
  await page.locator('.template-line').waitFor()
  expect(await page.locator('.beginning').innerText()).toMatch(
    /^Since \d+ \S.* ago \(.+\)\. .*Begin at the top/,
  )
  const lines = await page.locator('.now li').evaluateAll((all) =>
    all.map((line) => ({
      kind: line.querySelector('.status')?.textContent ?? '',
      isSeen: line.getBoundingClientRect().bottom <= innerHeight,
      isNote: line.querySelector('.tone-wait') !== null,
      since: line.querySelector('.since')?.textContent ?? '',
      steps: line.querySelectorAll('.next :is(a, button)').length,
    })),
  )
  const wrong = lines.filter(({ isNote }) => !isNote)
  expect(wrong.filter(({ since, steps }) => since === '' || steps === 0)).toEqual([])
  const seen = lines.filter(({ isSeen }) => isSeen).map(({ kind }) => kind)
  for (const fault of FAULTS) expect(seen.join()).toContain(fault)
})
