import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { describe, expect } from 'vitest'
import { startBrokenShop } from '../../../documents/broken/brokenShop.ts'
import { it as base } from './browse.ts'
import { mouse, see } from './hands.ts'
import { holdOrders } from './heldOrders.ts'
import type { Served, Tab } from './tab.ts'

const MAIN = resolve(import.meta.dirname, '../../../../src/tools/cli/main.ts')

/** A shop whose bank is back, and the processes that serve its console, one after the other. */
const it = base
  .extend('shop', { scope: 'file' }, async ({}, { onCleanup }) => {
    const shop = await startBrokenShop()
    onCleanup(() => shop[Symbol.asyncDispose]())
    await shop.fix('bank')
    return shop
  })
  .extend('serve', ({ shop: { place }, afterTabs }) => {
    const processes: ChildProcess[] = []
    afterTabs(() => {
      for (const each of processes) each.kill('SIGKILL')
    })
    return async (): Promise<Killable> => {
      const args = ['--by', 'ann', 'console', '--local', '--allow-changes']
      const served = spawn(process.execPath, ['--conditions=lineclear:source', MAIN, ...args], {
        cwd: place,
        env: { ...process.env, NO_COLOR: '1' },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      processes.push(served)
      const exit = once(served, 'exit')
      return {
        ...(await urlIn(served)),
        kill: async () => {
          served.kill('SIGKILL')
          await exit
        },
      }
    }
  })

interface Killable extends Served {
  /** As a machine that loses its power. */
  kill(): Promise<void>
}

async function urlIn({ stdout }: ChildProcess): Promise<Served> {
  const { promise, resolve: found } = Promise.withResolvers<Served>()
  let printed = ''
  stdout?.on('data', (chunk: Buffer) => {
    printed += String(chunk)
    const [, origin, token] = /(http:\/\/[^/]+)\/#token=(\S+)/.exec(printed) ?? []
    if (origin !== undefined && token !== undefined) found({ origin, token })
  })
  return promise
}

const REDRIVE = /^Send 6 dead letters to orders/
const PLANNED = /6 exhausted of orders/
const NO_CHANGE = /No change in 7 days/

async function planRedrive(tab: Tab): Promise<void> {
  await tab.open('/')
  await mouse(tab).choose(REDRIVE)
  await see(tab, PLANNED)
}

async function apply(tab: Tab): Promise<void> {
  await mouse(tab).type(/^Why/, 'the bank is back')
  await tab.page.getByRole('button', { name: /^Apply/ }).click()
}

/** @returns waits until the next change is on the network: before that a page that is closed takes it back */
async function postOf({ page }: Tab): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const { promise, resolve: left } = Promise.withResolvers<void>()
  session.on('Network.requestWillBeSentExtraInfo', ({ headers }) => {
    if (Object.keys(headers).some((name) => /^content-type$/i.test(name))) left()
  })
  return () => promise
}

/** That its server is gone is an error on the console of the browser. */
async function leave(tab: Tab): Promise<void> {
  await tab.close()
  tab.problems.length = 0
}

describe('a task by mouse that ends in the middle', () => {
  it('a page that is loaded again, or closed, between plan and apply has changed nothing', async ({
    serve,
    tabOf,
  }) => {
    const served = await serve()
    const tab = await tabOf(served)
    await planRedrive(tab)
    await tab.page.reload()
    await tab.settled()
    expect(await tab.page.locator('dialog[open]').count()).toBe(0)
    await planRedrive(tab)
    await tab.close()
    const other = await tabOf(served)
    await other.open('/history')
    await see(other, NO_CHANGE)
    await planRedrive(other)
  })

  it('a server that is killed between plan and apply has changed nothing', async ({
    serve,
    tabOf,
  }) => {
    const served = await serve()
    const tab = await tabOf(served)
    await planRedrive(tab)
    await served.kill()
    await apply(tab)
    await see(tab, /The console’s server does not answer/)
    await leave(tab)
    const other = await tabOf(await serve())
    await other.open('/history')
    await see(other, NO_CHANGE)
    await planRedrive(other)
  })

  it('a redrive whose server is killed in the middle is continued, and sends nothing twice', async ({
    shop,
    serve,
    tabOf,
  }) => {
    const consumeAgain = await holdOrders(shop)
    const served = await serve()
    const tab = await tabOf(served)
    await planRedrive(tab)
    await apply(tab)
    await see(tab, /[1-5] of 6/)
    const page = new URL(tab.page.url())
    await served.kill()
    await consumeAgain()
    await leave(tab)
    const other = await tabOf(await serve())
    await other.open(page.pathname + page.search)
    const goOn = other.page.getByRole('button', { name: /^Continue/ })
    // Until then its command might be alive.
    await goOn.waitFor({ timeout: 60_000 })
    expect(await other.page.innerText('main')).toMatch(/killed/)
    await goOn.click()
    await mouse(other).type(/^Why/, 'go on')
    await mouse(other).choose(/^Apply/)
    await see(other, /6 of 6[\s\S]*Nothing is left/)
    for (const order of [21, 22, 23, 24, 25, 26]) {
      await other.open(`/request?id=orders/order-${order}`)
      await see(other, /done[\s\S]*effects applied: reserve[\s\S]*call 'charge': done/)
      const effects = (await other.page.innerText('main')).match(/effects applied: reserve/g)
      expect(effects).toHaveLength(1)
    }
    await other.open('/letters?queue=orders-dead&reason=exhausted')
    await see(other, /None of \d+ dead letters? matches|No dead letters/)
  })

  it('a page that is closed while a change is applied does not end it', async ({
    serve,
    tabOf,
  }) => {
    const served = await serve()
    const tab = await tabOf(served)
    const { choose, type } = mouse(tab)
    await tab.open('/pauses')
    await type(/^Name$/, 'bank')
    await choose(/^Show the plan/)
    await type(/^Why/, 'incident 4711')
    const left = await postOf(tab)
    await tab.page.getByRole('button', { name: /^Apply/ }).click()
    await left()
    await tab.close()
    const other = await tabOf(served)
    await other.open('/pauses')
    await see(other, /2 paused[\s\S]*incident 4711/)
    await mouse(other).choose(/^Resume all/)
    await mouse(other).type(/^Why/, 'the bank is back')
    await mouse(other).choose(/^Apply/)
    await see(other, /Done, and recorded/)
  })
})
