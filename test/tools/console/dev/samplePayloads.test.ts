import { expect, test } from 'vitest'
import { samplePayload } from '../../../../src/tools/console/dev/devRoutes.ts'

test('the sample of the file goes before what was sent last', () => {
  const known = {
    samples: { mine: { payload: null, counts: false } },
    sent: [
      { to: 'mine', payload: 'sent' },
      { to: 'plain', payload: 'newest' },
      { to: 'plain', payload: 'old' },
    ],
  }
  expect(samplePayload(known, 'mine')).toEqual({ payload: null, from: 'file' })
  expect(samplePayload(known, 'plain')).toEqual({ payload: 'newest', from: 'sent' })
  expect(samplePayload(known, 'other')).toEqual({})
})
