import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorHarness, startCloud } from '../cli/operatorHarness.ts'
import { consoleHere } from './consoleHere.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

it('serves the page and its routes until Ctrl-C, which exits with 0 and frees the port', async () => {
  const console = await consoleHere(await operatorHarness(cloud), cloud)
  const page = await fetch(`${console.origin}/tasks?consumer=orders`)
  expect({ status: page.status, type: page.headers.get('content-type') }).toEqual({
    status: 200,
    type: 'text/html; charset=utf-8',
  })
  for (const file of ['/app.js', '/app.css']) {
    expect((await (await fetch(console.origin + file)).text()).length).toBeGreaterThan(20)
  }
  expect(await console.get('session')).toMatchObject({
    status: 200,
    json: { version: 1, session: { local: false, canChange: false, user: 'ann' } },
  })
  expect(await console.get('tasks?consumer=orders&most=5')).toMatchObject({
    status: 200,
    json: { version: 1, command: 'ls', exit: 0, tasks: [], cost: { queries: expect.any(Number) } },
  })
  expect(await console.stop()).toBe(0)
  await expect(fetch(console.origin)).rejects.toThrow('fetch failed')
})
