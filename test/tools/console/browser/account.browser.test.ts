import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, vi } from 'vitest'
import { consumerOn, operatorHarness, startCloud } from '../../cli/operatorHarness.ts'
import { deliver, send } from '../../operator/dlqHarness.ts'
import { consoleHere } from '../consoleHere.ts'
import { openInBrowser } from '../../../../src/tools/cli/serveHere.ts'
import { writePause } from '../../../../src/library/entries/sweeper/pause/pauseRow.ts'
import { it as base } from './browse.ts'

/** As a test of an account: the clients are given, and nothing says that the engines are local. */
const it = base
  .extend('cloud', { scope: 'file' }, async ({}, { onCleanup }): Promise<LocalCloud> => {
    const cloud = await startCloud()
    onCleanup(() => cloud.stop())
    return cloud
  })
  .extend('desk', { scope: 'file' }, async ({ cloud }) => {
    const desk = await operatorHarness(cloud)
    const handler = consumerOn(desk, () => {
      throw new TerminalError('no such customer')
    })
    await send(cloud, 'book', { id: 'o-1' })
    await deliver(cloud, 'book', handler)
    return desk
  })
  .extend('account', ({ cloud, desk, afterTabs }) => async (...args: readonly string[]) => {
    const console = await consoleHere(desk, cloud, ...args)
    afterTabs(() => console.stop())
    return console
  })

const main = (page: Page) => page.locator('main')

it('a change needs the name of the table, typed, and a reason', async ({
  account,
  desk,
  tabOf,
}) => {
  const tab = await tabOf(await account('--allow-changes'))
  const { page } = tab
  await tab.open('/letters?queue=dead')
  await page.getByRole('button', { name: /^Look at/ }).click()
  await page.getByRole('button', { name: /^Send 1 dead letter/ }).click()
  const apply = page.getByRole('button', { name: /^Apply/ })
  await apply.waitFor()
  const isOff = async (): Promise<boolean> => apply.isDisabled()
  expect(await isOff()).toBe(true)
  await page.getByLabel(/^Why/).fill('INC-1')
  expect(await isOff()).toBe(true)
  const name = page.getByLabel(/^Type the table’s name/)
  await name.fill('lineclear')
  expect(await isOff()).toBe(true)
  await name.fill(desk.tableName)
  expect(await isOff()).toBe(false)
})

it('a look at the dead letters is a button with its price, and the pages show read units', async ({
  account,
  tabOf,
}) => {
  const tab = await tabOf(await account())
  await tab.open('/letters')
  const look = tab.page.getByRole('button', { name: /^Look at 1 dead letter: about \d+ requests/ })
  expect(await main(tab.page).innerText()).not.toContain('no such customer')
  await look.click()
  await tab.settled()
  expect(await main(tab.page).innerText()).toContain('no such customer')
  await tab.go('/tasks')
  await tab.page.locator('.cost summary').first().click()
  expect(await tab.page.locator('.cost').first().innerText()).toMatch(/[1-9]\d*( read)? unit/)
})

it('without --allow-changes nothing can be applied', async ({ account, tabOf }) => {
  const served = await account()
  const tab = await tabOf(served)
  await tab.open('/letters?queue=dead')
  await tab.page.getByRole('button', { name: /^Look at/ }).click()
  await tab.page.getByRole('button', { name: /^Send 1 dead letter/ }).click()
  await tab.page.getByText('This console only reads.').waitFor()
  expect(await tab.page.getByRole('button', { name: /^Apply/ }).count()).toBe(0)
  const headers = { 'x-lineclear-token': served.token, 'content-type': 'application/json' }
  const body = JSON.stringify({ action: 'sweep', given: {} })
  const applied = await fetch(`${served.origin}/api/apply`, { method: 'POST', headers, body })
  expect(applied.status).toBe(404)
})

it('the map belongs to handlers that run here: an account has none', async ({ account, tabOf }) => {
  const tab = await tabOf(await account())
  await tab.open('/')
  expect(await tab.page.getByRole('group', { name: /^Map/ }).count()).toBe(0)
})

it('a pause without an end says so, with what ends it, on every page', async ({
  account,
  desk,
  tabOf,
}) => {
  const place = { id: 'p-1', mapping: 'uuid-pay', state: 'paused', names: {} } as const
  const arn = 'arn:aws:sqs:us-east-1:000000000000:pay'
  const who = { by: 'ann', why: 'bank is down', since: desk.clock.now(), until: undefined }
  await desk.store.create([writePause({ ...place, queue: arn, function: 'pay', ...who })])
  const tab = await tabOf(await account())
  await tab.open('/history')
  const banner = tab.page.locator('.banner')
  expect(await banner.innerText()).toMatch(/pay[\s\S]*no end: paused until/)
  expect(await banner.getByRole('button', { name: /resume/i }).count()).toBe(1)
})

it('an id without its consumer is said to be one, and leads to the search', async ({
  account,
  tabOf,
}) => {
  const tab = await tabOf(await account())
  await tab.open('/request?id=o-1')
  expect(await main(tab.page).innerText()).toContain('Expected consumer/ID or flow/KEY')
  await tab.page.getByRole('link', { name: 'Search for o-1' }).click()
  await tab.settled()
  expect(new URL(tab.page.url()).pathname).toBe('/search')
})

it('the file of --open leads to the console, and the token leaves the address', async ({
  account,
  browser,
}) => {
  const { origin, token } = await account()
  const place = mkdtempSync(join(tmpdir(), 'lineclear-'))
  onTestFinished(() => rmSync(place, { recursive: true }))
  vi.stubEnv('PATH', place)
  vi.stubEnv('TMPDIR', place)
  onTestFinished(() => void vi.unstubAllEnvs())
  await openInBrowser(`${origin}/#token=${token}`)
  const [folder = ''] = readdirSync(place)
  const page = await browser.newPage()
  await page.goto(pathToFileURL(join(place, folder, 'console.html')).href)
  await page.getByRole('heading', { name: 'Overview' }).first().waitFor()
  expect(page.url()).toBe(`${origin}/`)
  await page.close()
})
