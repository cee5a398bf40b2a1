import { randomBytes } from 'node:crypto'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { emptyAll } from '../../flow/flowHarness.ts'
import { count, hide, receive, send, sendDeadLetter } from '../operator/dlqHarness.ts'
import { operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const found = ({ out }: { readonly out: string }) => JSON.parse(out) as { plan: string }

it('discarded dead letters are kept, and are put back as they were', async () => {
  const { cli, apply } = await operatorHarness(cloud)
  const large = randomBytes(300_000).toString('base64')
  await sendDeadLetter(cloud, large, { id: 'r1', reason: 'exhausted', error: 'order 1 timed out' })
  const messageId = await send(cloud, 'dead', '{"n": 1}')
  const before = await receive(cloud, 'dead')
  for (const record of before) await hide(cloud, 'dead', record)
  const discard = await cli('dlq', 'discard', 'dead', '--json')
  const { plan } = found(discard)
  expect(count(cloud, 'dead')).toBe(2)
  expect(await cli('dlq', 'discard', 'dead', '--apply', plan)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`To undo it: lineclear dlq restore ${plan}`),
  })
  expect(count(cloud, 'dead')).toBe(0)
  expect(await cli('dlq', 'restore', plan)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^dlq restore \w+\n2 dead letters would be put back/),
  })
  expect(await cli('dlq', 'restore', plan, '--apply')).toMatchObject({ code: 1 })
  expect(count(cloud, 'dead')).toBe(0)
  expect(await apply('dlq', 'restore', plan)).toMatchObject({ code: 0 })
  const [first, second] = (await receive(cloud, 'dead')).toSorted((one) =>
    one.messageAttributes['uniquerequestid'] === undefined ? 1 : -1,
  )
  expect([first?.body, first?.messageAttributes]).toEqual([
    before[0]?.body,
    before[0]?.messageAttributes,
  ])
  expect(second?.body).toBe('{"n": 1}')
  expect(second?.messageAttributes['lineclear']?.stringValue).toContain(
    `"messageId":"${messageId}"`,
  )
  expect(await cli('dlq', 'restore', plan)).toMatchObject({
    code: 0,
    out: expect.stringContaining('Nothing to do'),
  })
  const { out } = await cli('explain', '--history', '--action', 'dlq')
  expect(out).toMatch(/dlq discard +dead +\w+ +applied: 2 of 2/)
  expect(out).toMatch(new RegExp(`dlq restore +${plan} +\\w+ +applied`))
})

it('what arrives after the plan is not discarded; a plan of another command is not restored', async () => {
  const { cli } = await operatorHarness(cloud)
  await sendDeadLetter(cloud, 1, { id: 'r1', reason: 'exhausted' })
  const { plan } = found(await cli('dlq', 'discard', 'dead', '--json'))
  expect((await cli('dlq', 'restore', plan)).out).toContain('or none was discarded')
  await sendDeadLetter(cloud, 2, { id: 'r2', reason: 'exhausted' })
  await cli('dlq', 'discard', 'dead', '--apply', plan)
  expect(count(cloud, 'dead')).toBe(1)
  const redrive = found(await cli('dlq', 'redrive', 'dead', '--to', 'book', '--json'))
  expect(await cli('dlq', 'restore', redrive.plan)).toMatchObject({ code: 4 })
  expect(await cli('dlq', 'restore', '0badc0de')).toMatchObject({ code: 4 })
})

it('what was rejected is not said to have requests; the others are', async () => {
  const { cli } = await operatorHarness(cloud)
  const error = 'RejectedError: the body is not JSON'
  await sendDeadLetter(cloud, 'Hello', { id: 'r1', reason: 'rejected', error })
  const refused = 'No handler has run with these payloads.'
  const requests = 'Their requests stay as they are in the table.'
  const { out } = await cli('dlq', 'discard', 'dead')
  expect([out.includes(refused), out.includes(requests)]).toEqual([true, false])
  await sendDeadLetter(cloud, '{}', { id: 'r2', reason: 'exhausted', error: 'Error: no' })
  const { out: both } = await cli('dlq', 'discard', 'dead', '--force')
  expect([both.includes(refused), both.includes(requests)]).toEqual([false, true])
})
