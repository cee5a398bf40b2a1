import { httpEvent, restEvent } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { readHttpEvent } from '../../src/library/entries/call/http/httpEvent.ts'

const REQUEST = {
  method: 'PUT',
  path: '/orders/1',
  headers: { 'X-Tenant': 'a' },
  query: { dry: 'yes please' },
  body: { n: 1 },
  requestContext: { authorizer: { principalId: 'c-1' } },
}

it.each([
  ['http', httpEvent, 'dry=yes+please'],
  ['rest', restEvent, { dry: ['yes please'] }],
] as const)('an event of %s is read as what was asked', (source, build, query) => {
  const read = readHttpEvent(build(REQUEST))
  expect(read).toMatchObject({ source, method: 'PUT', path: '/orders/1', query, body: '{"n":1}' })
  expect(read?.header('x-tenant')).toBe('a')
  expect(read?.requestContext).toMatchObject(REQUEST.requestContext)
  expect(readHttpEvent(build())).toMatchObject({ source, method: 'POST', path: '/' })
  expect(readHttpEvent(build())?.body).toBeUndefined()
})

it('names of headers are as each API gives them', () => {
  expect(Object.keys(httpEvent(REQUEST).headers)).toEqual(['x-tenant'])
  expect(Object.keys(restEvent(REQUEST).headers)).toEqual(['X-Tenant'])
})
