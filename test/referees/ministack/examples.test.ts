import { beforeAll, describe, expect, inject, it } from 'vitest'
import { COURSES } from './courses.ts'
import { leaveBehind, sweep } from './leftovers.ts'
import { openStage, until } from './stage.ts'

const deployment = inject('deployment')
const stage = openStage(deployment)

beforeAll(() => stage.listen('PaidTopic', 'paid'))

describe('deployed, with roles enforced, every request goes its way:', () => {
  it.each(COURSES)('$name', ({ expectEffects }) => expectEffects(stage))
})

describe('when all is at rest, each effect is in the books as often as it was asked for:', () => {
  beforeAll(async () => {
    // What was sent twice and found its copy running comes back when the lease of that one ends.
    const onTheirWay = () => stage.waiting(/^lineclear-[a-z]+$/)
    await until('queues', onTheirWay, (waiting) => Object.keys(waiting).length === 0)
  }, 300_000)

  it.each(COURSES)('$name', ({ expectBooks }) => expectBooks(stage))

  it('and nothing is dead, undelivered or open', async () => {
    expect(await stage.waiting(/DeadLetters|Undelivered/i)).toEqual({})
    const open = (await stage.rows('lineclear')).filter((row) => 'statusShard' in row)
    expect(open).toEqual([])
  })
})

it('the sweeper queues what was accepted and not queued, and frees a key whose run is over', async () => {
  const cents = async () => Number((await stage.rows('ledger'))[0]?.['cents'] ?? 0)
  const before = await cents()
  await leaveBehind(stage, { transactionId: 'late', cents: 5 })
  const swept = async () => {
    await sweep(deployment.endpoint)
    const rows = await stage.rows('lineclear')
    return rows.flatMap(({ sk = '', statusShard }) => (statusShard === undefined ? [] : [sk]))
  }
  // The run that was given up is kept for a redrive, and listed for an operator.
  await until('swept', swept, (open) => open.every((sk) => sk.startsWith('dead#')))
  await until('ledger', cents, (sum) => sum > before)
  expect(await cents()).toBe(before + 5)
})
