import { expect } from 'vitest'
import { addressesOf, paths } from './addresses.ts'
import { it } from './browse.ts'
import { inspect } from './inspect.ts'

const SHOPS = ['empty', 'broken', 'many', 'dev'] as const
const THEMES = ['light', 'dark'] as const
const ROWS = SHOPS.flatMap((shop) => [1280, 360].map((width) => ({ shop, width })))

it.concurrent.for(ROWS)(
  'each page of the $shop shop is right at $width pixels, light and dark',
  async ({ shop, width }, { shops, tabOf }) => {
    const tab = await tabOf(shops[shop], { width, reducedMotion: true })
    const wrong: string[] = []
    for (const address of paths(shop === 'dev' ? 'dev' : 'console').flatMap((path) =>
      addressesOf(path, shop),
    )) {
      await tab.open(address)
      const found = [...(await inspect(tab)), ...tab.problems.splice(0)]
      for (const colorScheme of THEMES) {
        await tab.page.emulateMedia({ colorScheme })
        found.push(
          ...(await tab.axe(colorScheme === 'light' ? 'all' : 'contrast')).map(
            (each) => `${colorScheme}: ${each}`,
          ),
        )
        await tab.shot(`${shop}/${nameOf(address)}-${width}-${colorScheme}`)
      }
      wrong.push(...found.map((each) => `${address}: ${each}`))
    }
    expect(wrong).toEqual([])
  },
)

function nameOf(address: string): string {
  const name = address.replaceAll(/[^\w.-]+/g, '-').replaceAll(/^-|-$/g, '')
  return name === '' ? 'overview' : name
}

it('200 % zoom leaves no page that scrolls sideways', async ({ shops, tabOf }) => {
  // What a window of 1280 pixels has then.
  const tab = await tabOf(shops.broken, { width: 640 })
  const wrong: string[] = []
  for (const address of paths().flatMap((path) => addressesOf(path, 'broken'))) {
    await tab.open(address)
    wrong.push(...(await inspect(tab)).map((each) => `${address}: ${each}`))
  }
  expect(wrong).toEqual([])
})

it('nothing moves for people who ask for less motion', async ({ shops, tabOf }) => {
  const moving = async (reducedMotion: boolean): Promise<readonly string[]> => {
    const tab = await tabOf(shops.broken, { reducedMotion })
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
    return seen.filter((text) => text.startsWith('moves: '))
  }
  expect(await moving(false)).not.toEqual([])
  expect(await moving(true)).toEqual([])
})
