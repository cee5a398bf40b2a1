import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { EXAMPLES } from '../../../examples/catalogue.ts'
import { inTurn } from '../../proof/depth.ts'
import { endOf } from '../demo/runDemo.ts'
import { keepExample, startExample } from './kept.ts'

const parent = mkdtempSync(join(tmpdir(), 'lineclear-kept-'))
afterAll(() => rmSync(parent, { recursive: true }))

it('an example stays up until Ctrl-C, commands find it, and nothing is left', async () => {
  expect(await keepExample('schedule')).toEqual({
    hint: expect.stringContaining('--local explain ledger/'),
    explained: 0,
    listed: 0,
    code: 0,
    left: false,
    alive: false,
  })
})

it('the console beside an example has seen all of its run', async () => {
  const folder = join(parent, 'seen')
  mkdirSync(folder)
  const child = startExample(folder, 'orders', '--console')
  const end = endOf(child)
  let written = ''
  const [, origin, token = ''] = await new Promise<readonly string[]>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      const found = /(http:\/\/[^/]+)\/#token=(\S+)/.exec((written += chunk.toString()))
      if (found !== null) resolve(found)
    })
  })
  const headers = { 'x-lineclear-token': token }
  const map = await (await fetch(`${origin}/api/map`, { headers })).json()
  const stream = (await fetch(`${origin}/api/events`, { headers })).body
  const { value } = (await stream?.getReader().read()) ?? {}
  child.kill('SIGINT')
  expect((await end).code).toBe(0)
  expect(map).toMatchObject({
    edges: expect.arrayContaining([
      { kind: 'delivers', from: 'topic:orders', to: 'queue:orders' },
      { kind: 'sends', from: 'function:orders', to: 'topic:paid' },
    ]),
  })
  const types = [
    ...Buffer.from(value ?? '')
      .toString()
      .matchAll(/"type":"(\w+)"/g),
  ]
  expect(types.map(([, type]) => type)).toEqual(
    expect.arrayContaining(['cloud', 'mapping', 'begun', 'call', 'log', 'ended']),
  )
})

it('at Ctrl-C before it is up nothing is left', async () => {
  const folder = join(parent, 'early')
  mkdirSync(folder)
  const child = startExample(folder, 'provider-down', '--keep')
  const end = endOf(child)
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  child.kill('SIGINT')
  expect((await end).code).toBe(130)
  expect(readdirSync(folder)).toEqual([])
})

describe('npm run example', () => {
  it.each([
    ['limited-stock --keep', 'limited-stock: expected an example that runs on a local cloud'],
    ['demo', 'demo: this one is run by npm run demo\n'],
    ['ordres', 'expected orders, chain-lambdas, .*; got "ordres"'],
    ['orders --kep', 'expected --keep, --console or --help, got "--kep"'],
  ])('refuses %s with exit code 2', async (args, message) => {
    const { code, stdout, stderr } = await endOf(startExample(parent, ...args.split(' ')))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(new RegExp(`^${message}`))
    expect(stderr).toMatch(/Nothing was run\. All examples: npm run example\n$/)
  })
})

// Messages of killed functions come back after 18 s.
describe.concurrent('npm run example NAME -- --keep', () => {
  it.for(inTurn(Object.keys(EXAMPLES), 2))('%s stays up until Ctrl-C', async (name, { expect }) => {
    const ended = { code: 0, left: false, alive: false }
    expect(await keepExample(name)).toMatchObject({ explained: 0, listed: 0, ...ended })
  })
})
