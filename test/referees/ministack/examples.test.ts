import { beforeAll, describe, expect, inject, it } from 'vitest'
import { CHECKS } from '../../aws/checks/list.ts'
import { isExpected, runChecks, toLine } from '../../aws/checks/check.ts'
import { openDesk } from '../../aws/checks/desk.ts'
import { isRight } from '../../aws/courses/course.ts'
import { COURSES } from '../../aws/courses/list.ts'
import { isOpen, quiet } from '../../aws/drive.ts'
import { openStage } from '../../aws/stage.ts'
import { openDev } from './account.ts'
import { leaveBehind, sweep } from './leftovers.ts'

const { endpoint, customer } = inject('deployment')
const place = await openDev(endpoint, customer)
/** A message whose sandbox dies on a slow machine is received again after its visibility timeout of three minutes. */
const stage = openStage(place, { withinMs: 240_000, prefix: 'dev-', check() {}, sent() {} })
const courses = COURSES.map((open) => open(stage))

describe('deployed, with roles enforced, every request goes its way:', () => {
  it.each(courses)('$name', async ({ drive }) => {
    await expect(drive()).resolves.toBeUndefined()
  })
})

describe('when all is at rest, each effect is in the books as often as it was asked for:', () => {
  beforeAll(async () => {
    // What was sent twice and found its copy running comes back when the lease of that one ends.
    await quiet(stage, 0)
    await stage.again()
    await quiet(stage, 0)
  }, 600_000)

  it.each(courses)('$name', async ({ books }) => {
    expect((await books()).filter((entry) => !isRight(entry))).toEqual([])
  })

  it('and nothing is dead, undelivered or open', async () => {
    expect(await stage.waiting(/DeadLetters|Undelivered/i)).toEqual({})
    expect((await stage.rows('lineclear')).filter(isOpen)).toEqual([])
  })
})

it('does otherwise than we assume of AWS only what is known', async () => {
  const desk = await openDesk(place.clients, 'dev-check-')
  const checks = CHECKS.filter(({ name }) => !name.startsWith('a function answers'))
  const seen = await runChecks(desk, checks, () => {})
  const unknown = seen.filter((one) => !isExpected('ministack', one))
  expect(unknown.map((one) => toLine('ministack', one))).toEqual([])
})

it('the sweeper queues what was accepted and not queued, and frees a key whose run is over', async () => {
  const cents = async () => Number((await stage.rows('ledger'))[0]?.['cents'] ?? 0)
  const before = await cents()
  await leaveBehind(place, { transactionId: 'late', cents: 5 })
  const swept = async () => {
    await sweep(endpoint)
    const rows = await stage.rows('lineclear')
    return rows.flatMap((row) => (isOpen(row) ? [row['sk'] ?? ''] : []))
  }
  // The run that was given up is kept for a redrive, and listed for an operator.
  await stage.until('swept', swept, (open) => open.every((sk) => sk.startsWith('dead#')))
  await stage.until('ledger', cents, (sum) => sum > before)
  expect(await cents()).toBe(before + 5)
})
