import { type LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { emptyAll, send } from '../../flow/flowHarness.ts'
import { operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(async () => {
  cloud.dynamodb.middlewareStack.remove('fails')
  await emptyAll(cloud)
})
afterAll(() => cloud.stop())

it.each([[[]], [['--no-queues']]])('a table that is not there is one line: %j', async (more) => {
  const { cli } = await operatorHarness(cloud)
  const { code, out, err } = await cli('status', '--table', 'WRONG', ...more)
  expect([code, out, err.split('\n')]).toEqual([
    3,
    '',
    [
      'lineclear: There is no table WRONG in this account and region.',
      'Nothing was changed.',
      'Give --table (or set LINECLEAR_TABLE), or --region.',
    ],
  ])
})

it('a table that stops to answer in the middle fails the look, and nothing else', async () => {
  const { cli } = await operatorHarness(cloud)
  await send(cloud, 'dead', { n: 1 })
  let queries = 0
  cloud.dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      async (call) => {
        queries += commandName === 'QueryCommand' ? 1 : 0
        if (queries > 20) throw Object.assign(new Error('reset'), { name: 'ECONNRESET' })
        return next(call)
      },
    { step: 'initialize', name: 'fails' },
  )
  const { code, out, err } = await cli('status')
  expect([code, out]).toEqual([3, ''])
  expect(err).toMatch(/^lineclear: AWS does not answer \(ECONNRESET: reset\)\.\n/)
  expect(err).not.toMatch(/^\s+at /m)
})
