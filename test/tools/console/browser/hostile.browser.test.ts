import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll } from 'vitest'
import { startCloud } from '../../cli/operatorHarness.ts'
import { addressesOf, paths } from './addresses.ts'
import { it } from './browse.ts'
import { type ConsoleOfTest, consoleOn } from './consoleAt.ts'
import { CORPUS, UNSEEN } from './corpus.ts'
import { plantHostile } from './hostileShop.ts'
import { inspect } from './inspect.ts'
import type { Tab } from './tab.ts'

let cloud: LocalCloud
let console: ConsoleOfTest
beforeAll(async () => {
  cloud = await startCloud()
  await plantHostile(cloud)
  const { dynamodb, sqs } = cloud.endpoints
  console = await consoleOn({ dynamodb, sqs, table: 'lineclear' })
})
afterAll(async () => {
  await console.stop()
  await cloud.stop()
})

/** What has acted in the page, or could: a sentence each. */
async function acted({ page }: Tab): Promise<readonly string[]> {
  return page.evaluate((unseen) => {
    const found: string[] = []
    if ('__ran' in window) found.push('a script ran')
    if (!document.title.endsWith(' · Lineclear')) found.push(`title: ${document.title}`)
    const foreign =
      'script:not([src="/app.js"]), iframe, object, embed, base, img, video, audio, template, math, style, body link, meta[http-equiv], [onerror], [onload], [onmouseover], [onfocus], [srcdoc], [formaction], form[action]'
    for (const each of document.querySelectorAll(foreign)) found.push(each.outerHTML.slice(0, 200))
    for (const { href, protocol, origin } of document.querySelectorAll('a')) {
      if (protocol !== 'http:' || origin !== location.origin) found.push(`a link to ${href}`)
    }
    const hidden = new RegExp(unseen, 'u')
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent ?? ''
      if (hidden.test(text)) found.push(`unmarked: ${JSON.stringify(text).slice(0, 200)}`)
    }
    for (const name of ['title', 'aria-label']) {
      for (const each of document.querySelectorAll(`[${name}]`)) {
        const text = each.getAttribute(name) ?? ''
        if (hidden.test(text)) found.push(`unmarked ${name}: ${JSON.stringify(text).slice(0, 200)}`)
      }
    }
    return found
  }, UNSEEN.source)
}

/** Addresses of one kind that the page links to. */
async function linksTo({ page }: Tab, path: string, parameter: string): Promise<readonly string[]> {
  const hrefs = await page.evaluate(
    (start) =>
      [...document.querySelectorAll('main a')]
        .map((each) => each.getAttribute('href') ?? '')
        .filter((href) => href.startsWith(start)),
    `${path}?`,
  )
  return [...new Set(hrefs)].filter((href) =>
    new URLSearchParams(href.split('?')[1]).has(parameter),
  )
}

it.concurrent('no text of a sender or an operator acts, on any page', async ({ expect, tabOf }) => {
  const tab = await tabOf(console)
  const wrong: string[] = []
  let marks = 0
  const look = async (address: string): Promise<void> => {
    await tab.go(address)
    await tab.page.evaluate(() => {
      for (const each of document.querySelectorAll('main details')) each.setAttribute('open', '')
    })
    await tab.settled()
    const found = [...(await acted(tab)), ...(await inspect(tab))]
    wrong.push(...found.map((each) => `${address}: ${each}`))
    marks += await tab.page.locator('.mark').count()
  }
  await tab.open('/')
  for (const path of paths()) for (const each of addressesOf(path, 'empty')) await look(each)
  await look('/tasks')
  const requests = await linksTo(tab, '/request', 'id')
  await look('/letters?queue=dead&list=1')
  const letters = await linksTo(tab, '/letters', 'letter')
  expect(letters.length).toBeGreaterThanOrEqual(CORPUS.length)
  expect(requests.length).toBeGreaterThan(10)
  for (const address of requests) {
    await look(address)
    await look(`${address}&view=full`)
  }
  for (const address of letters) {
    await tab.go(address)
    // Of each letter anew.
    await tab.page.getByRole('button', { name: /Show the payload/ }).click()
    await tab.settled()
    await look(address)
  }
  expect(wrong).toEqual([])
  expect(marks).toBeGreaterThan(50)
})

/** The server refuses what is no queue, and what SQS does not know. */
const REFUSED = /status of (400|502)/

it.concurrent('nothing in an address acts', async ({ expect, tabOf }) => {
  const tab = await tabOf(console)
  await tab.open('/')
  const wrong: string[] = []
  for (const text of CORPUS) {
    const written = encodeURIComponent(text.toWellFormed().slice(0, 500))
    const addresses = [
      `/search?id=${written}`,
      `/request?id=${written}&view=${written}`,
      `/tasks?consumer=${written}&status=${written}`,
      `/letters?queue=${written}&letter=${written}`,
      `/${written}?${written}=${written}#${written}`,
    ]
    for (const address of addresses) {
      await tab.go(address)
      const problems = tab.problems.splice(0).filter((each) => !REFUSED.test(each))
      wrong.push(...[...(await acted(tab)), ...problems].map((each) => `${address}: ${each}`))
    }
  }
  expect(wrong).toEqual([])
})
