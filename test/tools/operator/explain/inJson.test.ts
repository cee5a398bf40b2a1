import { expect, it } from 'vitest'
import { type ExplainJson, inJson } from '../../../../src/tools/operator/explain/explain.ts'
import type { TimelineEvent } from '../../../../src/tools/operator/explain/timelineEvent.ts'

const EVENT: TimelineEvent = {
  at: 0,
  from: 'log',
  where: 'orders',
  request: 'r1',
  attempt: 1,
  kind: 'deferred',
  outcome: undefined,
  because: undefined,
  until: 1_000,
  messageId: undefined,
  what: 'deferred',
  why: undefined,
}

it('times become ISO 8601, in values and in types; words and counts stay', () => {
  const json: ExplainJson['timeline'][number] = inJson(EVENT)
  expect(json).toMatchObject({
    at: '1970-01-01T00:00:00.000Z',
    until: '1970-01-01T00:00:01.000Z',
    from: 'log',
    attempt: 1,
  })
  expect(inJson({ stages: [{ leaseUntil: 5, epoch: 5 }], rememberedUntil: 'forever' })).toEqual({
    stages: [{ leaseUntil: '1970-01-01T00:00:00.005Z', epoch: 5 }],
    rememberedUntil: 'forever',
  })
})
