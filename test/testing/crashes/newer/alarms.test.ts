import { recordHandler } from 'lineclear'
import {
  type CrashCloud,
  type CrashOptions,
  type Explored,
  exploreCrashes,
} from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { bound, isProof, isWhole } from '../../../proof/depth.ts'
import { SOUND } from '../consumerOf.ts'
import { delaying, dying, FIRST, SECOND, superseding } from './orders.ts'

const ALONE = { together: 1 } as const
const RIGHT: readonly (readonly [string, (cloud: CrashCloud) => Explored, CrashOptions])[] = [
  ['orders that supersede each other, without faults', superseding, { also: [SECOND], faults: 0 }],
  [
    'a death that was meant, at another place',
    dying,
    {
      ...ALONE,
      expectedFailures: ['terminal: TerminalError: refused'],
      limit: bound(150, 700, 40_000),
    },
  ],
  [
    'a delayed message of a run that dies, and is not redriven',
    delaying(false),
    {
      ...ALONE,
      expectedFailures: ['terminal: TerminalError: down'],
      limit: bound(60, 700, 40_000),
    },
  ],
  [
    'a delayed message of a run that is redriven',
    delaying(false),
    { ...ALONE, redrive: delaying(true), limit: bound(60, 700, 40_000) },
  ],
]

describe('no alarm is false:', () => {
  it.each(isProof ? RIGHT : RIGHT.slice(1))('%s', async (_, build, options) => {
    const report = await exploreCrashes(build, FIRST, options)
    const complete = isWhole || report.schedules < (options.limit ?? Infinity)
    expect(report, report.text).toMatchObject({ ...SOUND, complete })
  })
})

it('one fault alone is reported before a second invocation runs beside, and its seed says so', async () => {
  const careless = ({ store, clients, clock, logger, outside }: CrashCloud) =>
    recordHandler({ name: 'orders', store, clients, clock, logger }, () => outside('charge'))
  const report = await exploreCrashes(careless, FIRST, { faults: 2 })
  expect(report.seed).toMatch(/^1@1-/)
  const again = await exploreCrashes(careless, FIRST, { faults: 2, seed: report.seed ?? '' })
  expect(again.trace).toEqual(report.trace)
})

it('refuses a database of your own before anything runs', async () => {
  const build = ({ store, clients, clock, logger, sql }: CrashCloud) => {
    const none = () => Promise.reject(new Error('called'))
    const own = { raise: none, open: () => ({ ...sql.open({} as never), sql: none }) }
    return recordHandler({ name: 'orders', store, clients, clock, logger, sql: own }, () => {})
  }
  await expect(exploreCrashes(build, FIRST)).rejects.toThrow(
    /^exploreCrashes: sql: expected the `sql`.*$/,
  )
})
