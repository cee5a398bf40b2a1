import { expect, test } from 'vitest'
import { checkNode } from '../../../src/tools/cli/dev.ts'

test.each(['20.20.2', '22.17.1', '23.5.0'])(
  'lineclear dev says that Node.js %s is too old',
  (old) => {
    expect(() => checkNode(old)).toThrow(`needs Node.js 22.18 or later; this is ${old}`)
  },
)

test.each(['22.18.0', '23.6.0', '24.0.0', '26.1.0'])('Node.js %s is new enough', (version) => {
  expect(() => checkNode(version)).not.toThrow()
})
