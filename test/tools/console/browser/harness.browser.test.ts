import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect } from 'vitest'
import { it } from './browse.ts'
import { openTab } from './tab.ts'
import { HEADERS } from '../../../../src/tools/console/send.ts'

const PAGE = `<!doctype html><html lang="en"><title>a page with faults</title>
  <p style="color: red">inline styles</p>
  <p onclick="alert(1)" id="click">inline handlers</p>
  <p id="grey">hardly to be read</p>
  <img src="/x.png"><script src="/faults.js"></script>`
const SCRIPT = `
  document.querySelector('#grey').style.color = '#ccc'
  fetch('http://elsewhere.example/').catch(() => {})
  fetch('/api/missing')
  setTimeout(() => { throw new Error('thrown on purpose') })
  setTimeout(() => alert('a dialog on purpose'))
`

let server: Server
beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const body = url === '/' ? PAGE : SCRIPT
    const type = url === '/' ? 'text/html' : 'text/javascript'
    const status = url.startsWith('/api/') ? 404 : 200
    response.writeHead(status, { ...HEADERS, 'content-type': type })
    response.end(body)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
})
afterAll(() => void server.close())

it('what must not happen on a page is noticed, and what axe finds', async ({ browser }) => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const tab = await openTab(browser, { origin, token: 'none' })
  await tab.open('/')
  const noticed = [
    /Applying inline style violates/,
    /Executing inline event handler violates/,
    /Connecting to 'http:\/\/elsewhere.example\/' violates/,
    /status of 404/,
    /thrown: Error: thrown on purpose/,
    /a dialog: a dialog on purpose/,
  ]
  for (const each of noticed) await expect.poll(() => tab.problems.join('\n')).toMatch(each)
  const found = (await tab.axe()).map((each) => each.replace(/:.*/, ''))
  expect([...new Set(found)].toSorted()).toEqual(['color-contrast', 'image-alt'])
  await tab.close()
})
