import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { DevSendAnswer } from '../../../../src/tools/console/dev/types.ts'
import { projectFolder, startDevProcess, until } from '../dev/devHere.ts'
import { it } from './browse.ts'
import { mouse, see } from './hands.ts'

const WITH_ONCE = `await ctx.call('charge', ({ idempotencyKey }) =>
      charge(orderId, idempotencyKey),
    )`
const NAIVE = 'await charge(orderId, crypto.randomUUID())'
/** Milliseconds. The console promises 2,000 on a machine that has nothing else to do. */
const RED_WITHIN = 30_000

it('a developer sends, injects faults, kills at a call, sees a book turn red and saves the run', async ({
  tabOf,
}) => {
  await using dev = await startDevProcess(await quickProject(), 'dev.ts')
  const tab = await tabOf(dev.served)
  const { choose, tick, type } = mouse(tab)
  const { page } = tab
  const consumer = async () => (await dev.state()).consumers[0]

  await tab.open('/dev?to=orders')
  await tick(/^twice$/)
  const asked = page.waitForRequest(/dev\/send$/)
  await choose(/^Send to orders/)
  await see(tab, /done/)
  expect((await asked).postDataJSON()).toMatchObject({ to: 'orders', twice: true })

  await type(/^throttle$/, '20')
  await page.keyboard.press('Tab')
  await expect.poll(consumer).toMatchObject({ faults: { throttle: 0.2 } })
  await choose(/^all off$/)
  await expect.poll(consumer).toMatchObject({ faults: { throttle: 0 } })

  const kill = async (call: RegExp): Promise<void> => {
    const line = page.locator('.call-list li', { hasText: call }).first()
    await line.getByRole('button', { name: /^kill before/ }).click()
  }
  await page.locator('.live tr', { hasText: 'reserve' }).first().getByRole('link').click()
  await kill(/keeps the result of charge/)
  await see(tab, /kills the next invocation before its next call UpdateItem of charge/)
  await dev.post<DevSendAnswer>('dev/send', { to: 'orders' })
  await until(async () => (await consumer())?.killNext === undefined)
  // It was killed with the charge made and its result not kept: the outside system knows the key when it is asked again.
  await until(async () => (await dev.book('reserved = orders')) === 'green')
  expect((await dev.state()).outside).toMatchObject([{ calls: 2 }])

  await kill(/PublishBatch/)
  await see(tab, /kills the next invocation before its next call PublishBatch/)
  await breakHandler(dev.folder)
  await until(
    async () => (await dev.state()).reloads === 1 && (await dev.state()).state === 'ready',
  )
  await tab.go('/dev')
  const red = page.locator('.book.red').first().waitFor({ timeout: 120_000 })
  const seen = red.then(() => Date.now())
  await dev.post('dev/send', { to: 'orders' })
  const doubled = await until(async () => {
    return ((await dev.state()).outside[0]?.calls ?? 0) >= 4 && Date.now()
  })
  const took = (await seen) - doubled
  console.log(`a double is shown after ${took} ms`)
  expect(took).toBeLessThan(RED_WITHIN)
  await see(tab, /charged once per order[\s\S]*order-3/)
  // What killed an invocation is in sight, and its log beside it.
  const isInSight = (mark: Element): boolean =>
    mark.getBoundingClientRect().right <= (mark.closest('td')?.getBoundingClientRect().right ?? 0)
  expect(await page.locator('.live .call-mark.never').first().evaluate(isInSight)).toBe(true)
  await page.locator('.live tr', { hasText: 'killed' }).first().getByRole('link').click()
  await see(tab, /1 line logged/)

  await choose(/^Save this run as a test$/)
  await see(tab, /3 messages and 2 faults/)
  const saved = join(dev.folder, 'dev.charged-once-per-order.test.ts')
  expect(await readFile(saved, 'utf8')).toMatch(
    /^\/\/ When it was saved: Wrong were the books charged once per order\n/,
  )
  // Before the console ends: a stream that breaks is an error of the page.
  await tab.close()
})

/** What was killed comes again after two seconds, not after eighteen. */
async function quickProject(): Promise<string> {
  const folder = await projectFolder('examples/orders')
  await replaceIn(join(folder, 'dev.ts'), [
    ['cloud: {', 'cloud: { queues: { orders: { visibilityTimeout: 2 }, paid: {} },'],
    ["functionTimeout: '3s'", 'functionTimeout: 1_500'],
  ])
  return folder
}

async function breakHandler(folder: string): Promise<void> {
  await replaceIn(join(folder, 'handler.ts'), [[WITH_ONCE, NAIVE]])
}

/** As editors do it: another file takes its place. */
async function replaceIn(
  path: string,
  pairs: readonly (readonly [from: string, to: string])[],
): Promise<void> {
  let text = await readFile(path, 'utf8')
  for (const [from, to] of pairs) {
    expect(text).toContain(from)
    text = text.replace(from, to)
  }
  await writeFile(`${path}~`, text)
  await rename(`${path}~`, path)
}
