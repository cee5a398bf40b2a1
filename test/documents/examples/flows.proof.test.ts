import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { readableLine } from '../../../examples/readableLine.ts'
import { notIn } from '../../proof/hostile/mode.ts'

// The handlers read their environment when they are loaded, and another file of this process may have loaded them.
vi.resetModules()
const { run: agentTools } = await import('../../../examples/agent-tools/run.ts')
const { run: cacheRebuild } = await import('../../../examples/cache-rebuild/run.ts')
const { run: chainLambdas } = await import('../../../examples/chain-lambdas/run.ts')
const { run: durable } = await import('../../../examples/durable/run.ts')
const { run: fairQueue } = await import('../../../examples/fair-queue/run.ts')
const { run: jobStatus } = await import('../../../examples/job-status/run.ts')
const { run: eventBridge } = await import('../../../examples/eventbridge/run.ts')
const { run: s3Uploads } = await import('../../../examples/s3-uploads/run.ts')
const { run: externalCallback } = await import('../../../examples/external-callback/run.ts')
const { run: providerDown } = await import('../../../examples/provider-down/run.ts')
const { run: lateWrites } = await import('../../../examples/late-writes/run.ts')
const { run: timestampGuard } = await import('../../../examples/timestamp-guard/run.ts')
afterAll(() => {
  vi.resetModules()
})

const silent = (): void => {}
/** The log of the examples is not checked here. */
beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
})

const LONG = { timeout: 180_000 }

it('one flow over two Lambdas charges each cart once', LONG, async () => {
  const result = await chainLambdas(20, silent)
  expect(result).toMatchObject({ carts: 20, charged: 20, charges: 20, sales: 20 })
  expect(result.deliveries).toBeGreaterThan(40)
})

it(
  'each trip gets one offer, with an answer or after its time',
  {
    ...LONG,
    ...notIn(['clocks'], 'its answers are given a few seconds, and its clocks are an hour apart'),
  },
  async () => {
    const result = await externalCallback(20, silent)
    expect(result).toMatchObject({ trips: 20, offers: 20, doubled: 0, timedOut: 2 })
  },
)

it(
  'each payout goes through once, and none dies of an outage of the bank',
  {
    ...LONG,
    ...notIn(['clocks'], 'the bank is down for seconds, and its clocks are an hour apart'),
  },
  async () => {
    const { refused, ...result } = await providerDown(20, silent)
    expect(result).toEqual({ payouts: 20, transfers: 20, booked: 20, dead: 0 })
    expect(refused).toBeLessThan(40)
  },
)

it('the address that was sent last is kept', LONG, async () => {
  const result = await timestampGuard(10, silent)
  expect(result).toMatchObject({ moves: 50, wrong: 0 })
})

it('an attempt that was overtaken is refused by the bucket itself', LONG, async () => {
  const result = await lateWrites(5, silent)
  expect(result).toEqual({ accounts: 5, written: 5, refused: 5, wrong: 0 })
})

it('a durable function begins once for each customer, and opens one account', LONG, async () => {
  const result = await durable(4, silent)
  expect(result).toMatchObject({ customers: 4, executions: 4, opened: 4 })
  expect(result.deliveries).toBeGreaterThanOrEqual(12)
})

it(
  'an agent makes each tool call once, and what cannot be known is a dead letter',
  LONG,
  async () => {
    const { requests, faxes, ...result } = await agentTools(40, silent)
    expect(result).toEqual({ calls: 40, bookings: 40, answers: 1, dead: ['unknown'] })
    expect(requests).toBeGreaterThanOrEqual(40)
    expect(new Set(faxes)).toEqual(new Set([1]))
  },
)

it('what two tenants cause stays with theirs', LONG, async () => {
  const result = await fairQueue(20, silent)
  expect(result).toEqual({ imports: 22, sent: { large: 18, small: 2 }, dead: { large: 2 } })
})

it('an export has a link that says where it stands', LONG, async () => {
  const result = await jobStatus(10, silent)
  expect(result).toEqual({ accepted: 20, before: { 404: 10 }, completed: 10 })
})

it('the scan that was made last is kept, and each is one event behind the bus', LONG, async () => {
  const result = await eventBridge(5, silent)
  expect(result).toMatchObject({ scans: 20, moves: 20, wrong: 0 })
  expect(result.deliveries).toBeGreaterThanOrEqual(60)
})

it('the register shows what happened last to each file', LONG, async () => {
  const result = await s3Uploads(10, silent)
  expect(result).toMatchObject({ notifications: 45, wrong: 0 })
})

it('a cache triggered during its rebuild is rebuilt again, and ends up to date', LONG, async () => {
  const result = await cacheRebuild(4, silent)
  expect(result).toMatchObject({ triggers: 24, outdated: 0 })
  expect(result.announced).toBe(result.rebuilds)
  expect(result.rebuilds).toBeLessThan(result.triggers)
})

it('the log of the framework is printed as one readable line each', () => {
  const line = {
    level: 'INFO',
    message: 'succeeded',
    timestamp: '2026-01-02T03:04:05.678Z',
    consumer: 'checkout.charge',
    key: 'cart-1',
    attempt: 1,
  }
  expect(readableLine(`${JSON.stringify(line)}\n`)).toBe(
    '03:04:05.678  checkout.charge         succeeded  (key cart-1, attempt 1)\n',
  )
  const failed = { ...line, consumer: 'orders', error: { name: 'Error', message: 'it broke' } }
  expect(readableLine(JSON.stringify(failed))).toBe(
    '03:04:05.678  orders                  succeeded  (key cart-1, attempt 1, error it broke)\n',
  )
  const long = { ...line, consumer: 'a-consumer-with-a-long-name' }
  expect(readableLine(JSON.stringify(long))).toBe(
    '03:04:05.678  a-consumer-with-a-long-name  succeeded  (key cart-1, attempt 1)\n',
  )
  expect(readableLine('{"_aws":{}}')).toBeUndefined()
  expect(readableLine('{"level"')).toBe('{"level"')
  expect(readableLine('plain')).toBe('plain')
})
