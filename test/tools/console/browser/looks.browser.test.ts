import { env } from 'node:process'
import { expect } from 'vitest'
import { inTurn, isWhole } from '../../../proof/depth.ts'
import { addressesOf, paths } from './addresses.ts'
import { it } from './browse.ts'
import { inspect } from './inspect.ts'
import type { Tab } from './tab.ts'

const SHOPS = ['broken', 'many', 'empty', 'dev'] as const
/** Each look from the one before by one change: what is loaded once is looked at four times. */
const LOOKS = [
  { width: 1280, theme: 'light', rules: 'all' },
  { width: 1280, theme: 'dark', rules: 'contrast' },
  { width: 360, theme: 'dark', rules: 'contrast' },
  { width: 360, theme: 'light', rules: 'all' },
] as const
/** The shop whose pages have most on them has every look in every run. */
const looksOf = (shop: string): readonly (typeof LOOKS)[number][] =>
  isWhole || shop === 'broken' ? LOOKS : LOOKS.filter(({ rules }) => rules === 'all')
/** Tabs among which the pages of a shop are divided: an answer that one waits for leaves the processor to the other. */
const TABS = 2

it.for(SHOPS)(
  'each page of the %s shop is right at 1280 and 360 pixels',
  async (name, { shops, tabOf }) => {
    const shop = await shops[name]()
    const all = paths(name === 'dev' ? 'dev' : 'console').flatMap((path) => addressesOf(path, name))
    const left = [...inTurn(all, 2)]
    const wrong: string[] = []
    const lookAtPages = async (): Promise<void> => {
      const tab = await tabOf(shop, { reducedMotion: true })
      for (let address = left.shift(); address !== undefined; address = left.shift()) {
        const found = await lookAt(tab, name, address)
        wrong.push(...found.map((each) => `${address}: ${each}`))
      }
    }
    await Promise.all(Array.from({ length: TABS }, lookAtPages))
    expect(wrong).toEqual([])
  },
)

async function lookAt(tab: Tab, shop: string, address: string): Promise<readonly string[]> {
  const wrong: string[] = []
  await tab.resize(1280)
  await tab.page.emulateMedia({ colorScheme: 'light' })
  await tab.open(address)
  for (const { width, theme, rules } of looksOf(shop)) {
    await tab.resize(width)
    await tab.page.emulateMedia({ colorScheme: theme })
    await tab.settled()
    const found = [...(await inspect(tab)), ...(await tab.axe(rules)), ...tab.problems.splice(0)]
    wrong.push(...found.map((each) => `${width} ${theme}: ${each}`))
    if (env['LINECLEAR_SHOTS'] === '1') {
      await tab.shot(`${shop}/${nameOf(address)}-${width}-${theme}`)
    }
  }
  return wrong
}

function nameOf(address: string): string {
  const name = address.replaceAll(/[^\w.-]+/g, '-').replaceAll(/^-|-$/g, '')
  return name === '' ? 'overview' : name
}

it('at 360 pixels the headline shares no line, and the names of queues are whole', async ({
  shops,
  tabOf,
}) => {
  const { page, open } = await tabOf(await shops.broken(), { width: 360 })
  await open('/')
  await page.locator('.template-line').waitFor()
  const { overlap, cut } = await page.evaluate(() => {
    const headline = document.createRange()
    const [first, template] = ['.headline', '.template-line'].map((each) =>
      document.querySelector(each),
    )
    headline.setStart(first ?? document.body, 0)
    headline.setEndBefore(template ?? document.body)
    const rows = [...headline.getClientRects()].map(({ bottom }) => bottom)
    const names = [...document.querySelectorAll('.now a.cut')]
    return {
      overlap: Math.max(...rows) - (template?.getBoundingClientRect().top ?? 0),
      cut: names
        .filter((each) => each.scrollWidth > each.clientWidth)
        .map((each) => each.textContent),
    }
  })
  expect(overlap).toBeLessThanOrEqual(0)
  expect(cut).toEqual([])
})

it('200 % zoom leaves no page that scrolls sideways', async ({ shops, tabOf }) => {
  // What a window of 1280 pixels has then.
  const tab = await tabOf(await shops.broken(), { width: 640 })
  const wrong: string[] = []
  const all = paths().flatMap((path) => addressesOf(path, 'broken'))
  for (const address of inTurn(all, 2)) {
    await tab.open(address)
    wrong.push(...(await inspect(tab)).map((each) => `${address}: ${each}`))
  }
  expect(wrong).toEqual([])
})

it('nothing moves for people who ask for less motion', async ({ shops, tabOf }) => {
  const moving = async (reducedMotion: boolean): Promise<readonly string[]> => {
    const tab = await tabOf(await shops.broken(), { reducedMotion })
    const seen: string[] = []
    tab.page.on('console', (message) => seen.push(message.text()))
    // Transitions and animations of more than a blink.
    await tab.page.addInitScript(() => {
      const note = ({ target }: Event): void => {
        const long = (target as Element)
          .getAnimations()
          .filter((each) => Number(each.effect?.getComputedTiming().duration) > 50)
        for (const each of long) console.log(`moves: ${each.constructor.name}`)
      }
      addEventListener('animationstart', note, true)
      addEventListener('transitionrun', note, true)
    })
    for (const path of paths()) await tab.open(path)
    // As a book that has turned red.
    await tab.page.locator('main').evaluate((each) => each.classList.add('book', 'red'))
    await tab.settled()
    return seen.filter((text) => text.startsWith('moves: '))
  }
  expect(await moving(false)).not.toEqual([])
  expect(await moving(true)).toEqual([])
})
