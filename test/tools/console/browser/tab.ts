import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { axe, type Rules } from './axe.ts'
import { watch } from './watch.ts'

/** What git ignores. */
const SHOTS = resolve(import.meta.dirname, '../../../../.lineclear/console')

/** How a person looks at the console. */
export interface Look {
  /** Of the window, CSS pixels. Default 1280. */
  readonly width?: number
  readonly theme?: 'dark' | 'light'
  readonly reducedMotion?: boolean
}

/** A console that is served, and the token of its URL. */
export interface Served {
  readonly origin: string
  readonly token: string
}

/** A tab of a browser that has nothing of any other tab. */
export interface Tab {
  readonly page: Page
  /** What must not happen, and has happened so far. */
  readonly problems: string[]
  /** Opens a page of the console as a person opens a pasted link, and waits until it shows what it has asked for. */
  open(path: string): Promise<void>
  /** Opens another page as a link of the console does, without loading it again. */
  go(path: string): Promise<void>
  /** Until nothing is on its way any more, and is drawn. */
  settled(): Promise<void>
  /** What it waits for now, a line each. */
  onTheWay(): readonly string[]
  /** The window, to this width in CSS pixels. */
  resize(width: number): Promise<void>
  axe(rules?: Rules): Promise<readonly string[]>
  /** Keeps a picture. */
  shot(name: string): Promise<void>
  close(): Promise<void>
}

/** Milliseconds. What is not there then is shown as it is. */
const LONGEST = 60_000

const HEIGHTS: Readonly<Record<number, number>> = { 360: 740, 640: 400, 1280: 800 }

function sizeOf(width: number): { width: number; height: number } {
  return { width, height: HEIGHTS[width] ?? 800 }
}

export async function openTab(
  browser: Browser,
  { origin, token }: Served,
  { width = 1280, theme = 'light', reducedMotion = false }: Look = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: sizeOf(width),
    colorScheme: theme,
    reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  const page = await context.newPage()
  const { problems, pending } = watch(page, origin)
  let isFirst = true

  async function settled(): Promise<void> {
    const end = Date.now() + LONGEST
    for (let drawn = 0; drawn < 2 && Date.now() < end;) {
      const isThere = await page.evaluate(async () => {
        await new Promise((done) => requestAnimationFrame(done))
        return document.querySelector('.skeleton') === null
      })
      drawn = isThere && pending.size === 0 ? drawn + 1 : 0
    }
  }

  return {
    page,
    problems,
    settled,
    onTheWay: () => [...pending].map((each) => `on its way: ${each.method()} ${each.url()}`),
    async open(path) {
      await page.goto(`${origin}${path}${isFirst ? `#token=${token}` : ''}`)
      isFirst = false
      await settled()
    },
    async go(path) {
      await page.evaluate((to) => {
        history.pushState(null, '', to)
        dispatchEvent(new PopStateEvent('popstate'))
      }, path)
      await settled()
    },
    resize: (to) => page.setViewportSize(sizeOf(to)),
    axe: (rules = 'all') => axe(page, rules),
    async shot(name) {
      const path = join(SHOTS, `${name}.png`)
      await mkdir(dirname(path), { recursive: true })
      await page.screenshot({ path, animations: 'disabled' })
    },
    async close() {
      // A page asks again by itself: what it has asked for last is answered to nobody. A closed one asks nothing.
      if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
    },
  }
}
