import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorHarness, startCloud } from '../cli/operatorHarness.ts'
import { consoleHere, localConsole } from './consoleHere.ts'

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
    const { headers, status } = await fetch(`${console.origin}${file}`)
    const type = file === '/app.css' ? 'css' : 'javascript'
    expect([status, headers.get('content-type')]).toEqual([200, `text/${type}; charset=utf-8`])
  }
  expect(await console.get('session')).toMatchObject({
    status: 200,
    json: { version: 2, session: { local: false, canChange: false, user: 'ann' } },
  })
  expect(await console.get('tasks?consumer=orders&most=5')).toMatchObject({
    status: 200,
    json: { version: 2, command: 'ls', exit: 0, tasks: [], cost: { queries: expect.any(Number) } },
  })
  expect(await console.stop()).toBe(0)
  await expect(fetch(console.origin)).rejects.toThrow('fetch failed')
})

it('names the template that the local cloud names, for the doctor', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'lineclear-'))
  await mkdir(join(cwd, '.lineclear'))
  const local = { ...cloud.endpoints, table: 'lineclear', template: 'deploy/template.yml' }
  await writeFile(join(cwd, '.lineclear/local.json'), JSON.stringify(local))
  const console = await localConsole(cwd)
  expect(await console.get('session')).toMatchObject({
    json: { session: { local: true, template: relative('.', join(cwd, 'deploy/template.yml')) } },
  })
  // Of another file the doctor would tell whether it is on this machine.
  const [existing, missing] = [join(cwd, '.lineclear/local.json'), join(cwd, 'nothing.yml')]
  const answers = await Promise.all(
    [existing, missing].map(async (file) => console.get(`doctor?template=${file}`)),
  )
  for (const { status, json } of answers) {
    expect({ status, error: json.error }).toMatchObject({
      status: 400,
      error: { message: expect.stringMatching(/^template: expected .*template\.yml: type/) },
    })
  }
  await console.stop()
  await rm(cwd, { recursive: true })
})
