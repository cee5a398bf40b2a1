import { describe, expect, it } from 'vitest'
import { token } from './checks.ts'
import { Conform } from './conform.ts'
import { treeOf } from './moduleOf.ts'
import { explore } from './tla/explore.ts'

const TOKEN = treeOf('Token')

describe('a decision and a write of the module are those of the code', () => {
  it.each([
    { OnFailure: 'none', attempts: 2 },
    { OnFailure: 'told', attempts: 1 },
    { OnFailure: 'final', attempts: 1 },
  ] as const)('onFailure: $OnFailure, attempts: $attempts', ({ OnFailure, attempts }) => {
    const constants = token(OnFailure, ['good', 'invalid'], [1, attempts, 2, 0])
    const conform = new Conform({ OnFailure, MaxAttempts: attempts })
    explore(TOKEN, { constants, promises: [], most: 50_000, visit: conform.visit })
    expect(conform.differences.slice(0, 3)).toEqual([])
    expect([...conform.compared.keys()].toSorted()).toMatchSnapshot()
  })
})
