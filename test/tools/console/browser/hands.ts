import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Tab } from './tab.ts'

/** How a person moves about in the console. */
export interface Hands {
  /** A link, a button or what unfolds, by its name or its title. */
  choose(name: RegExp): Promise<void>
  type(label: RegExp, text: string): Promise<void>
  tick(label: RegExp): Promise<void>
  /** By the field in the header. */
  search(id: string): Promise<void>
  /** Clicks or keys so far; a text that is typed is one. */
  presses(): number
}

/** Milliseconds. On a busy machine. */
const LONGEST = 30_000

/** What can be reached: in a dialog nothing else. */
async function reach(page: Page): Promise<Locator> {
  const dialog = page.locator('dialog[open]')
  return (await dialog.count()) > 0 ? dialog : page.locator('body')
}

async function named(page: Page, name: RegExp): Promise<Locator> {
  const root = await reach(page)
  const links = root.getByRole('link', { name })
  const folded = root.locator('summary', { hasText: name })
  const titled = root.locator('a, button').and(root.getByTitle(name))
  const buttons = root.getByRole('button', { name }).or(titled)
  const found = links.or(buttons).or(folded).first()
  await found.waitFor({ timeout: LONGEST })
  return found
}

async function labelled(page: Page, label: RegExp): Promise<Locator> {
  const found = (await reach(page)).getByLabel(label).first()
  await found.waitFor({ timeout: LONGEST })
  return found
}

/** Until it is shown. @returns all that is shown then */
export async function see({ page, onTheWay, problems }: Tab, text: RegExp): Promise<string> {
  let shown = ''
  // Why it is not shown may be an answer that does not come.
  const all = (): string => [page.url(), shown, ...onTheWay(), ...problems].join('\n')
  await expect
    .poll(async () => (shown = await textNow(page)), {
      timeout: LONGEST,
      interval: 100,
    })
    .toMatch(text)
    .catch((error: unknown) => {
      throw new Error(`no ${text} in: ${all()}`, { cause: error })
    })
  return shown
}

/** A dialog may close between two looks: nothing waits for it, and the next look reads the page. */
async function textNow(page: Page): Promise<string> {
  return (await reach(page)).innerText({ timeout: 1_000 }).catch(() => '')
}

const SEARCH = /Search any id/

export function mouse({ page, settled }: Tab): Hands {
  let clicks = 0
  return {
    presses: () => clicks,
    async choose(name) {
      clicks += 1
      await (await named(page, name)).click()
      await settled()
    },
    async type(label, text) {
      clicks += 1
      await (await labelled(page, label)).fill(text)
    },
    async tick(label) {
      clicks += 1
      await (await labelled(page, label)).check()
    },
    async search(id) {
      clicks += 1
      await (await labelled(page, SEARCH)).fill(id)
      await page.keyboard.press('Enter')
      await settled()
    },
  }
}

/**
 * By Tab, Enter, the space bar and `/` alone. Each stop on the way must be seen, and what is chosen may not leave the focus nowhere:
 * a screen reader would then begin at the top of the page again.
 */
export function keyboard({ page, settled }: Tab): Hands {
  let keys = 0
  const press = async (key: string): Promise<void> => {
    keys += 1
    await page.keyboard.press(key)
  }
  const tabTo = async (target: Locator): Promise<void> => {
    for (let presses = 0; presses < MOST_STOPS; presses += 1) {
      if (await target.evaluate(hasFocus)) return
      await press('Tab')
      expect(await page.evaluate(hiddenFocus)).toBeUndefined()
    }
    throw new Error(`${String(target)} is not reached by ${MOST_STOPS} presses of Tab`)
  }
  const isSomewhere = async (): Promise<void> => {
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.tagName), { timeout: LONGEST })
      .not.toBe('BODY')
  }
  return {
    presses: () => keys,
    async choose(name) {
      await tabTo(await named(page, name))
      await press('Enter')
      await settled()
      await isSomewhere()
    },
    async type(label, text) {
      await tabTo(await labelled(page, label))
      await press('ControlOrMeta+A')
      await page.keyboard.type(text)
    },
    async tick(label) {
      await tabTo(await labelled(page, label))
      await press('Space')
    },
    async search(id) {
      await press('/')
      expect(await (await labelled(page, SEARCH)).evaluate(hasFocus)).toBe(true)
      await page.keyboard.type(id)
      await press('Enter')
      await settled()
      await isSomewhere()
    },
  }
}

const MOST_STOPS = 150

/** Runs in the page. */
function hasFocus(element: Element): boolean {
  return element === document.activeElement
}

/** Runs in the page. @returns what has the focus and does not show it */
function hiddenFocus(): string | undefined {
  const { activeElement: element } = document
  if (element === null || element === document.body) return undefined
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
  const isMarked =
    (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1) || boxShadow !== 'none'
  const { left, top, width, height } = element.getBoundingClientRect()
  const hit = document.elementFromPoint(left + Math.min(width, 20) / 2, top + height / 2)
  const isSeen = hit !== null && (element.contains(hit) || hit.contains(element))
  if (isMarked && isSeen) return undefined
  return `${isMarked ? 'behind something' : 'unmarked'}: ${element.outerHTML.slice(0, 200)}`
}
