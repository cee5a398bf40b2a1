import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { operatorHarness, startCloud } from '../../cli/operatorHarness.ts'
import { consoleHere } from '../consoleHere.ts'
import { it } from './browse.ts'
import { EVIL } from './hosts.ts'

let cloud: LocalCloud
let console: Awaited<ReturnType<typeof consoleHere>>
let elsewhere: Server
beforeAll(async () => {
  cloud = await startCloud()
  console = await consoleHere(await operatorHarness(cloud), cloud)
  elsewhere = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<!doctype html><title>another site</title>')
  })
  await new Promise<void>((ready) => elsewhere.listen(0, '127.0.0.1', ready))
})
afterAll(async () => {
  await console.stop()
  elsewhere.closeAllConnections()
  elsewhere.close()
  await cloud.stop()
})

interface Answered {
  readonly server: Server
  readonly response: ServerResponse
}

/** The statuses of what the console answers. Of an answer that a page may not see, its browser reports none. */
function statuses(onCleanup: (stop: () => void) => void): ReadonlySet<number> {
  const seen = new Set<number>()
  const note = (message: unknown): void => {
    const { server, response } = message as Answered
    const { port } = server.address() as AddressInfo
    if (String(port) === new URL(console.origin).port) seen.add(response.statusCode)
  }
  subscribe('http.server.response.finish', note)
  onCleanup(() => void unsubscribe('http.server.response.finish', note))
  return seen
}

it('a name that was rebound to this machine is answered with 421 and no data', async ({
  browser,
}) => {
  await using context = await browser.newContext()
  const page = await context.newPage()
  const { port } = new URL(console.origin)
  const answer = await page.goto(`http://${EVIL}:${port}/`)
  expect(answer?.status()).toBe(421)
  // For the browser this is the page's own origin; even the right token does not help.
  const read = await page.evaluate(async (token) => {
    const response = await fetch('/api/session', { headers: { 'x-lineclear-token': token } })
    return { status: response.status, text: await response.text() }
  }, console.token)
  expect(read.status).toBe(421)
  expect(read.text).not.toContain('lineclear-')
})

interface Target {
  readonly url: string
  readonly token: string
}

/** Each resolves to what the other page could read of the console. */
const ATTEMPTS: Readonly<Record<string, (target: Target) => Promise<string>>> = {
  'fetch, without CORS': async ({ url }) => {
    const response = await fetch(url, { mode: 'no-cors', credentials: 'include' })
    return response.text()
  },
  'fetch that the browser may send at once': async ({ url }) => {
    const response = await fetch(url, { method: 'POST', body: '{"action":"sweep"}' })
    return response.text()
  },
  'fetch with the token': async ({ url, token }) => {
    const response = await fetch(url, { headers: { 'x-lineclear-token': token } })
    return response.text()
  },
  'a script': async ({ url }) => {
    const script = Object.assign(document.createElement('script'), { src: url })
    return new Promise((done) => {
      script.addEventListener('load', () => done('loaded'))
      script.addEventListener('error', () => done(''))
      document.head.append(script)
    })
  },
  'an image': async ({ url }) => {
    const image = Object.assign(document.createElement('img'), { src: url })
    return new Promise((done) => {
      image.addEventListener('load', () => done('loaded'))
      image.addEventListener('error', () => done(''))
    })
  },
  'a beacon': async ({ url }) => {
    navigator.sendBeacon(url, '{"action":"sweep"}')
    return ''
  },
  'a socket': async ({ url }) => {
    const socket = new WebSocket(url.replace('http:', 'ws:'))
    return new Promise((done) => {
      socket.addEventListener('open', () => done('open'))
      socket.addEventListener('error', () => done(''))
    })
  },
  'a stream of events': async ({ url }) => {
    const stream = new EventSource(url)
    return new Promise((done) => {
      stream.addEventListener('open', () => done('open'))
      stream.addEventListener('error', () => done(''))
    })
  },
  'a frame': async ({ url }) => {
    const frame = Object.assign(document.createElement('iframe'), { src: url })
    document.documentElement.append(frame)
    await new Promise((done) => frame.addEventListener('load', done))
    return frame.contentDocument?.body.innerText ?? ''
  },
  'a form': async ({ url }) => {
    const frame = Object.assign(document.createElement('iframe'), { name: 'answer' })
    const form = Object.assign(document.createElement('form'), {
      action: url,
      method: 'post',
      enctype: 'text/plain',
      target: 'answer',
    })
    const field = Object.assign(document.createElement('input'), {
      name: '{"action":"sweep","given":"',
      value: '"}',
    })
    form.append(field)
    document.documentElement.append(frame, form)
    form.submit()
    await new Promise((done) => frame.addEventListener('load', done))
    const read = frame.contentDocument?.body.innerText ?? ''
    frame.remove()
    return read
  },
}

describe.each(['cross-site', 'same-site'])('a page that is %s', (site) => {
  const origin = (): string => {
    const { port } = elsewhere.address() as AddressInfo
    return `http://${site === 'cross-site' ? EVIL : '127.0.0.1'}:${port}`
  }

  it.for(Object.entries(ATTEMPTS))(
    'reads and changes nothing by $0',
    async ([by, attempt], { browser, onTestFinished }) => {
      await using context = await browser.newContext()
      const answers = statuses(onTestFinished)
      const page = await context.newPage()
      await page.goto(origin())
      for (const path of ['/', '/app.js', '/api/session', '/api/apply']) {
        const read = await page
          .evaluate(attempt, { url: console.origin + path, token: console.token })
          .catch((error: unknown) => (/TypeError/.test(String(error)) ? '' : String(error)))
        expect(read).toBe('')
      }
      // To nobody a socket is opened: it is refused before it is a request.
      await expect.poll(() => [...answers]).toEqual(by === 'a socket' ? [] : [403])
    },
  )

  it('cannot hold the window that it opens', async ({ browser }) => {
    await using context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(origin())
    const [window] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate((url) => void open(url), console.origin),
    ])
    await window.waitForLoadState()
    expect(await window.innerText('body')).toContain('another site has sent this request')
  })
})

describe('the token', () => {
  it('is in no address, no history, no referrer, no cookie and no storage but that of its tab', async ({
    tabOf,
  }) => {
    const tab = await tabOf(console)
    const sent: string[] = []
    tab.page.on('request', (request) => {
      const { 'x-lineclear-token': _token, ...headers } = request.headers()
      sent.push(request.url().replace(/#.*/, ''), JSON.stringify(headers))
    })
    await tab.open('/')
    const session = await tab.page.context().newCDPSession(tab.page)
    const { entries } = await session.send('Page.getNavigationHistory')
    const kept = await tab.page.evaluate(() => [
      location.href,
      document.referrer,
      document.cookie,
      JSON.stringify(localStorage),
      JSON.stringify(history.state),
    ])
    const cookies = await tab.page.context().cookies()
    expect(sent.length).toBeGreaterThan(3)
    const seen = [...sent, ...kept, ...entries.map(({ url }) => url), JSON.stringify(cookies)]
    expect(seen.filter((text) => text.includes(console.token))).toEqual([])
    expect(await tab.page.evaluate(() => JSON.stringify(sessionStorage))).toContain(console.token)
  })

  it('is missing in a second tab, which is told what to do', async ({ browser, tabOf }) => {
    const first = await tabOf(console)
    await first.open('/')
    const second = await first.page.context().newPage()
    await second.goto(console.origin)
    await expect
      .poll(() => second.innerText('body'), { timeout: 30_000 })
      .toMatch(/open the URL from the terminal/i)
    expect(browser.isConnected()).toBe(true)
  })
})
