import { tableDefinition } from 'lineclear/dynamodb'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendDeadLetter, startDlqCloud } from '../operator/dlqHarness.ts'
import { run } from './runHere.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud({ lineclear: tableDefinition() })
})
afterAll(() => cloud.stop())

/** A command that a person stops before its first page is through. */
const stopped = async (...args: readonly string[]) =>
  run(args, { sqs: cloud.sqs, dynamodb: cloud.dynamodb, interrupt: AbortSignal.abort() })

describe('a search that is stopped says how much it has read, and not that there is nothing', () => {
  it.each([
    ['a bare id', ['explain', 'order-17', '--scan']],
    ['its items', ['explain', 'order-17', '--scan', '--items']],
    ['the key of a caller', ['explain', '--name', 'refunds', '--key', 'k', '--scan']],
    ['the items of a key', ['explain', '--name', 'refunds', '--key', 'k', '--scan', '--items']],
  ])('%s', async (_, args) => {
    const { code, out, err } = await stopped(...args)
    expect(code).toBe(1)
    expect(out).not.toContain('Not found')
    expect(err).toMatch(
      /^Stopped: 0( of about 0)? items of the table were read\. What the others have is not known/,
    )
    const json = await stopped(...args, '--json')
    expect({ code: json.code, ...(JSON.parse(json.out) as object) }).toMatchObject({
      code: 1,
      stopped: expect.stringContaining('What the others have is not known'),
    })
  })
})

it('a sweep that is stopped in its search has swept nothing, and says how to go on', async () => {
  const { code, out } = await stopped('sweep', '--search', '--apply')
  expect(code).toBe(1)
  expect(out).toContain('Paused: the search has listed what is above, and nothing was swept')
  expect(out).toContain('lineclear sweep --search --apply')
})

it('a count of what is due that is stopped is no count', async () => {
  const { code, out } = await stopped('sweep')
  expect(code).toBe(1)
  expect(out).toContain('the others are not known')
  expect(out).not.toContain('Nothing to do')
})

it('a look that is stopped, or is one at a part, says of how many it is', async () => {
  for (let n = 0; n < 30; n++) await sendDeadLetter(cloud, { n }, { id: `r${n}`, reason: 'none' })
  const { out } = await stopped('dlq', 'groups', 'dead')
  expect(out).toBe('0 of about 30 dead letters looked at: the counts are of these')
  const clients = { sqs: cloud.sqs, dynamodb: cloud.dynamodb }
  for (const queues of [['dead'], []]) {
    const peeked = await run(['dlq', 'peek', ...queues, '--most', '2'], clients)
    expect(peeked.out).toContain(
      '2 dead letters shown, 10 of about 30 looked at; there may be more',
    )
  }
})

it('an edit that is stopped says so, and has changed nothing', async () => {
  await sendDeadLetter(cloud, { total: 1 }, { id: 'order-17', reason: 'rejected' })
  const { code, out } = await stopped('dlq', 'edit', 'dead', '--id', 'order-17', '--set', 'total=2')
  expect(code).toBe(1)
  expect(out).toContain(
    'it was interrupted after 0 dead letters. Type it again. Nothing was changed',
  )
})
