import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { axe } from '../../../tools/console/browser/axe.ts'
import { it } from '../../../tools/console/browser/browse.ts'
import { buildSite } from '../buildSite.ts'
import { visitAll } from './visit.ts'

const folder = mkdtempSync(join(tmpdir(), 'lineclear-site-'))
const site = join(folder, 'site')
beforeAll(() => buildSite(site))
afterAll(() => rmSync(folder, { recursive: true }))

const at = (address: string): string => pathToFileURL(`${site}/`).href + address

/** As someone does who has no mouse. */
async function searchByKeyboard(page: Page, query: string): Promise<void> {
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type(query)
  await page.getByRole('search').getByRole('link').first().waitFor()
}

it('each page is shown without an error, its links lead to places, and nothing is too wide for 420 pixels', async ({
  browser,
}) => {
  expect(await visitAll(browser, site)).toEqual([])
})

it('what is wrong with a page is seen', async ({ browser }) => {
  const wrong = join(folder, 'wrong')
  mkdirSync(wrong)
  const links = ['b.html#there', 'b.html#gone', 'c.html', '#', 'http://'].map(
    (link) => `<a href="${link}">${link}</a>`,
  )
  writeFileSync(
    join(wrong, 'a.html'),
    `<!doctype html><pre>${'wide '.repeat(99)}</pre>${links.join()}`,
  )
  const twice = '<p id="there">one</p><p id="there">two</p>'
  writeFileSync(join(wrong, 'b.html'), `<!doctype html>${twice}<script>throw 1</script>`)
  expect(await visitAll(browser, wrong)).toEqual([
    expect.stringMatching(/^a.html: it scrolls sideways/),
    expect.stringMatching(/^a.html: “wide .* leaves the page$/),
    expect.stringMatching(/^b.html: thrown: /),
    'a.html: b.html#gone is not there',
    'a.html: c.html is not there',
    'a.html: a.html# is not there',
    'a.html: http:// is not there',
    'b.html: two are #there',
  ])
})

it.for(['recordHandler', 'dead letter', 'uniquerequestid', 'takeOver'])(
  'the search finds %s by page and heading, and the keyboard opens the place',
  async (query, { browser }) => {
    const page = await browser.newPage()
    // From a folder below the top.
    await page.goto(at('src/tools/doctor/index.html'))
    await searchByKeyboard(page, query)
    await page.keyboard.press('ArrowDown')
    const first = page.getByRole('search').getByRole('listitem').first()
    const [name = '', place = ''] = (await first.innerText()).split('\n')
    const opened = page.waitForEvent('load')
    await page.keyboard.press('Enter')
    await opened
    expect(await page.title()).toContain(place.split(' › ')[0])
    const target = page.locator(':target')
    expect(await target.innerText()).toContain(name)
    expect((await target.innerText()).toLowerCase()).toContain(query.toLowerCase())
    const box = await target.boundingBox()
    const header = await page.locator('header').boundingBox()
    expect(box?.y).toBeGreaterThanOrEqual(header?.height ?? 0)
    expect(box?.y).toBeLessThan(page.viewportSize()?.height ?? 0)
    await page.close()
  },
)

it('Enter opens the first result, Escape closes the list, and what is not there is said', async ({
  browser,
}) => {
  const page = await browser.newPage()
  await page.goto(at('index.html'))
  const list = page.getByRole('search').getByRole('list')
  await searchByKeyboard(page, 'nothing is lost')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'hidden' })
  // The field has the focus again.
  await page.keyboard.type('xyzzy')
  await page.getByRole('status').filter({ hasText: 'Nothing found' }).waitFor()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('nothing is lost')
  await page.keyboard.press('Enter')
  await page.waitForURL(at('index.html#lineclear.nothing-is-lost'))
  await list.waitFor({ state: 'hidden' })
  await page.close()
})

it.for(['light', 'dark'] as const)(
  'first page, reference and open search can be read by all: %s',
  async (colorScheme, { browser }) => {
    const page = await browser.newPage({ colorScheme })
    const wrong: string[] = []
    for (const file of ['reference/consumers-of-a-queue.html', 'index.html']) {
      await page.goto(at(file))
      wrong.push(...(await axe(page, 'all')))
    }
    await searchByKeyboard(page, 'dead letter')
    wrong.push(...(await axe(page, 'all')))
    expect(wrong).toEqual([])
    await page.close()
  },
)

it('without scripts a page has its text and its contents, and no search', async ({ browser }) => {
  const page = await browser.newPage({ javaScriptEnabled: false })
  await page.goto(at('index.html'))
  expect(await page.getByRole('search').count()).toBe(0)
  await page.getByRole('link', { name: 'Using Lineclear: the guide' }).first().click()
  await page.getByRole('heading', { name: 'Set up a consumer' }).waitFor()
  await page.close()
})
