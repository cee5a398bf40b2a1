import type { SQSEvent } from 'aws-lambda'
import { recordHandler } from 'lineclear'
import { type CrashCloud, exploreCrashes, type Anomaly } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { isProof } from '../../proof/depth.ts'
import { consumerOf, type Order, SOUND, summing } from './consumerOf.ts'

const [FIRST, SECOND, THIRD]: readonly Order[] = [
  { orderId: 'o1' },
  { orderId: 'o2' },
  { orderId: 'o3' },
]
const THREE = { batch: 3, also: [SECOND, THIRD], together: 1 } as const

/** Handles each record alone; `answer` builds the response for Lambda from those that failed. */
function byHand(answer: (failed: readonly string[], event: SQSEvent) => unknown) {
  return ({ outside }: CrashCloud) =>
    async (event: SQSEvent) => {
      const failed: string[] = []
      for (const { body, messageId } of event.Records) {
        const { orderId } = JSON.parse(body) as Order
        await outside('charge', { idempotencyKey: orderId }).catch(() => failed.push(messageId))
      }
      return answer(failed, event)
    }
}

const reported = (failed: readonly string[]) => ({
  batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })),
})

describe('several messages in one invocation', () => {
  it('each handled once: sound', async () => {
    const report = await exploreCrashes(consumerOf(summing), FIRST, {
      ...THREE,
      also: [SECOND],
      batch: 2,
      ...(isProof ? {} : { only: ['killed on the wire'] }),
    })
    expect(report.text).toMatch('nothing lost')
    expect(report).toMatchObject({ ...SOUND, complete: true })
    expect(report.schedules).toBeGreaterThan(isProof ? 100 : 10)
  })

  it('of which one fails and is named: only that one is redelivered', async () => {
    const batches: string[] = []
    const report = await exploreCrashes(
      ({ outside }) =>
        async ({ Records }: SQSEvent) => {
          await outside('received', { idempotencyKey: 'all' })
          batches.push(Records.map(({ messageId }) => messageId).join())
          return reported(batches.length === 1 ? ['m2'] : [])
        },
      FIRST,
      { ...THREE, faults: 0 },
    )
    expect(report).toMatchObject({ ...SOUND, complete: true })
    expect(batches.slice(0, 2)).toEqual(['m1,m2,m3', 'm2'])
  })

  it('by hand, with the failed ones named: sound', async () => {
    const report = await exploreCrashes(byHand(reported), FIRST, THREE)
    expect(report.text).toMatch('nothing lost')
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })

  const WRONG: readonly (readonly [string, Anomaly, ReturnType<typeof byHand>])[] = [
    ['answers success for one that failed', 'lost', byHand(() => ({ batchItemFailures: [] }))],
    ['answers nothing when one failed', 'lost', byHand(() => undefined)],
    [
      'names another one than the one that failed',
      'lost',
      byHand((failed) => (failed.length === 0 ? undefined : reported(['m1']))),
    ],
    ['names what was not in the batch', 'stuck', byHand(() => reported(['m9']))],
    [
      'has one key for the whole batch',
      'doubled',
      ({ outside }) =>
        async ({ Records }: SQSEvent) => {
          await outside('charge', { idempotencyKey: Records.map(({ body }) => body).join() })
        },
    ],
  ]
  it.each(WRONG)('a handler that %s: %s', async (_, anomaly, wrong) => {
    const report = await exploreCrashes(wrong, FIRST, THREE)
    expect(report.finding?.anomaly).toBe(anomaly)
    const again = await exploreCrashes(wrong, FIRST, { ...THREE, seed: report.seed ?? '' })
    expect(again.trace).toEqual(report.trace)
  })

  it('are identified by name', async () => {
    const wrong = byHand(() => undefined)
    const { trace } = await exploreCrashes(wrong, FIRST, THREE)
    expect(trace).toContain('A receives m1 and m2 and m3 from records')
    expect(trace).toContain('A ends: m1 and m2 and m3 acknowledged')
  })
})

const DONE = { pk: 'done', sk: 'lock' }

async function take(store: CrashCloud['store'], pk: string): Promise<boolean> {
  const [taken] = await store.create([{ pk, sk: 'lock' }])
  return taken?.kind === 'applied'
}

it('two at once are explored too where one alone has more schedules than the limit', async () => {
  const wrong =
    ({ store, outside }: CrashCloud) =>
    async () => {
      const [done] = await store.read([DONE], { consistent: true })
      if (done?.kind === 'found' && done.item !== undefined) return
      const key = { idempotencyKey: (await take(store, 'first')) ? 'a' : 'b' }
      await outside('charge', key).catch(() => outside('charge', key))
      if (!(await take(store, 'done'))) await take(store, 'done')
    }
  const few = {
    only: ['request lost', 'answer lost', 'throttled', 'clock jumps'],
    limit: 10,
  } as const
  const alone = await exploreCrashes(wrong, FIRST, { ...few, together: 1 })
  expect(alone).toMatchObject({ ...SOUND, complete: false })
  const { finding } = await exploreCrashes(wrong, FIRST, few)
  expect(finding?.anomaly).toBe('doubled')
})

describe('three invocations at once', () => {
  it('of one message: sound, as far as they are explored', async () => {
    const limit = isProof ? 500 : 100
    const report = await exploreCrashes(consumerOf(summing), FIRST, { together: 3, limit })
    expect(report).toMatchObject({ ...SOUND, schedules: limit, complete: false })
  })

  it('show what two cannot', async () => {
    const wrong =
      ({ store, outside }: CrashCloud) =>
      async () => {
        const [done] = await store.read([DONE], { consistent: true })
        if (done?.kind === 'found' && done.item !== undefined) return
        const isFirst = await take(store, 'first')
        if (!isFirst && (await take(store, 'second'))) throw new Error('another attempt is running')
        await outside('charge', { idempotencyKey: isFirst ? 'a' : 'b' })
        await take(store, 'done')
      }
    const two = await exploreCrashes(wrong, FIRST, { faults: 0, together: 2 })
    expect(two).toMatchObject({ ...SOUND, complete: true })
    const three = await exploreCrashes(wrong, FIRST, { faults: 0, together: 3 })
    expect(three.finding?.anomaly).toBe('doubled')
  })
})

it.each([
  [{ batch: 0 }, 'batch: expected a whole number from 1 to 10; got 0'],
  [{ batch: 2, as: 'function' as const }, 'batch: expected a whole number from 1 to 1; got 2'],
  [{ also: { other: [FIRST] } }, 'also.other: expected one of records'],
  [{ also: { records: FIRST as never } }, 'also.records: expected a list of messages'],
])('is not made with %j', async (options, message) => {
  const made = exploreCrashes(
    ({ store }) => recordHandler({ name: 'orders', store }, () => {}),
    FIRST,
    options,
  )
  await expect(made).rejects.toThrow(`exploreCrashes: ${message}`)
})
