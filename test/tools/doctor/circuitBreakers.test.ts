import { circuitBreaker, recordHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTemplate } from './from.ts'
import { receivesWhileOpen } from '../../../src/tools/doctor/rules/queues.ts'

const MINUTE = 60_000
const DAY = 86_400

function queueWith(maxReceiveCount: number, MessageRetentionPeriod = 4 * DAY) {
  const RedrivePolicy = { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount }
  const Mapping = {
    FunctionName: { Ref: 'Pay' },
    EventSourceArn: { 'Fn::GetAtt': ['Jobs', 'Arn'] },
  }
  return fromTemplate({
    Resources: {
      Jobs: { Type: 'AWS::SQS::Queue', Properties: { RedrivePolicy, MessageRetentionPeriod } },
      Dead: { Type: 'AWS::SQS::Queue', Properties: {} },
      Pay: { Type: 'AWS::Lambda::Function', Properties: {} },
      Mapping: { Type: 'AWS::Lambda::EventSourceMapping', Properties: Mapping },
    },
  })
}

const found = (...given: Parameters<typeof diagnose>) =>
  diagnose(...given).filter(({ rule }) => rule === 'circuit-breaker-receives')

describe('circuit-breaker-receives', () => {
  it('asks for receives that bear an outage for as long as the queue keeps messages', () => {
    expect(found(queueWith(10), { circuitBreaker: 'used' })).toMatchObject([
      {
        severity: 'warning',
        subject: 'Jobs',
        cure: expect.stringContaining('maxReceiveCount to 25'),
      },
    ])
    expect(found(queueWith(25), { circuitBreaker: 'used' })).toEqual([])
    expect(found(queueWith(25, 14 * DAY), { circuitBreaker: 'used' })).toMatchObject([
      { cure: expect.stringContaining('maxReceiveCount to 45') },
    ])
  })

  it('asks for nothing where no handler has a circuit breaker', () => {
    expect(found(queueWith(10))).toEqual([])
  })
})

it.each([
  [25, 0],
  [10, 1],
])(
  'with %i receives %i records are dead-lettered in an outage of 4 days',
  async (receives, dead) => {
    const cloud = memoryCloud({
      queues: { jobs: { deadLetter: { queue: 'dead', maxReceiveCount: receives } }, dead: {} },
    })
    const { store, clients, clock, logger } = cloud
    const handler = recordHandler(
      {
        name: 'jobs',
        store,
        clients,
        clock,
        logger,
        parse: 'text',
        schema: z.string(),
        retry: { maxAttempts: 6, delay: '1s', transport: 'visibility' },
        circuitBreaker: circuitBreaker({ after: 5, when: () => true }),
      },
      () => {
        throw new Error('down')
      },
    )
    cloud.send('jobs', 'first')
    for (const end = clock.now() + 4 * DAY * 1_000; clock.now() < end; clock.advance(5 * MINUTE)) {
      await cloud.deliver('jobs', handler)
      await cloud.deliver('jobs', handler)
    }
    expect(cloud.messages('dead')).toHaveLength(dead)
  },
)

it('counts one receive for each doubling, up to 12 hours', () => {
  expect([29, 31, 61, 3_600, 4 * DAY].map(receivesWhileOpen)).toEqual([1, 2, 3, 8, 20])
})
