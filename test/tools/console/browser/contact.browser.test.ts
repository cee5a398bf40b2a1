import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { startCloud } from '../../cli/operatorHarness.ts'
import { it } from './browse.ts'
import { consoleOn } from './consoleAt.ts'
import type { Tab } from './tab.ts'

/** Milliseconds. On a busy machine. */
const timeout = 30_000

/** The way to a table: it can be closed, or lead to nobody who answers. */
async function gateTo(target: string) {
  let isSilent = false
  const gate = createServer((asked, answer) => {
    if (isSilent) return
    const to = new URL(asked.url ?? '', target)
    const headers = { ...asked.headers, host: to.host }
    const passed = request(to, { method: asked.method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(answer)
    })
    asked.pipe(passed)
  })
  const listen = async (port: number): Promise<number> => {
    gate.listen(port, '127.0.0.1')
    await once(gate, 'listening')
    return (gate.address() as AddressInfo).port
  }
  const port = await listen(0)
  const cut = (): void => {
    gate.close()
    gate.closeAllConnections()
  }
  onTestFinished(cut)
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    mend: async () => void (await listen(port)),
    hold: (held: boolean) => {
      isSilent = held
      if (!held) gate.closeAllConnections()
    },
  }
}

it('“live” is said, and green, only while the server and the cloud behind it answer', async ({
  tabOf,
}) => {
  const cloud = await startCloud()
  onTestFinished(() => cloud.stop())
  const { dynamodb = '', sqs } = cloud.endpoints
  const table = await gateTo(dynamodb)
  const console = await consoleOn({ dynamodb: table.url, sqs, table: 'lineclear' })
  const tab = await tabOf(console)
  await tab.open('/history')
  await says(tab, 'live')
  const green = await colourOf(tab)

  table.cut()
  await says(tab, 'no answer')
  expect(await colourOf(tab)).not.toBe(green)
  await table.mend()
  await says(tab, 'live')
  expect(await colourOf(tab)).toBe(green)

  table.hold(true)
  await says(tab, 'waiting')
  expect(await colourOf(tab)).not.toBe(green)
  table.hold(false)
  await says(tab, 'live')

  await console.stop()
  await says(tab, 'no answer')
  expect(await colourOf(tab)).not.toBe(green)
  // That its cloud and its server are gone are errors on the console of the browser.
  await tab.close()
  tab.problems.length = 0
})

async function says({ page }: Tab, word: string): Promise<void> {
  await expect.poll(() => page.locator('.follow').innerText(), { timeout }).toBe(word)
}

async function colourOf({ page }: Tab): Promise<string> {
  return page.locator('.follow .dot').evaluate((dot) => getComputedStyle(dot).borderColor)
}
