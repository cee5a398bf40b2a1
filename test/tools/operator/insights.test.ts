import { describe, expect, it } from 'vitest'
import { logQueries } from '../../../src/tools/operator/explain/insights.ts'

const REQUEST = '0f8fad5b-d9cb-469f-a165-70867728950e'

describe('the queries for an item', () => {
  it('ask the log group of the function that holds it', () => {
    const { logGroup, request, invocation } = logQueries({
      pk: 'lock#orders/o-1',
      uniqueRequestId: 'o-1',
      lockedBy: `orders-prod/${REQUEST}`,
    })
    expect(logGroup).toBe('/aws/lambda/orders-prod')
    expect(request).toContain('| filter uniquerequestid = "o-1" |')
    expect(invocation).toContain(`@requestId = "${REQUEST}"`)
  })

  it('find the lines of a key by its lock token', () => {
    const { request } = logQueries({ pk: 'key#refunds/p/1' })
    expect(request).toContain('lockToken = "p/1"')
    expect(request).toContain('lockToken = "key#refunds/p/1"')
  })

  it.each([undefined, 7, 'me', 'scope/01JDEADBEEF', `a b/${REQUEST}`, `x/${REQUEST}" or 1 = "1`])(
    'name no function that is none: %s',
    (lockedBy) => {
      expect(logQueries({ pk: 'lock#orders/o-1', lockedBy })).toMatchObject({
        logGroup: undefined,
        invocation: undefined,
      })
    },
  )

  it('cannot be changed by what an id contains', () => {
    const { request } = logQueries({ pk: 'flow#f/k', uniqueRequestId: 'a" or 1 = "1\\' })
    expect(request).toContain(String.raw`filter uniquerequestid = "a\" or 1 = \"1\\" |`)
  })
})
