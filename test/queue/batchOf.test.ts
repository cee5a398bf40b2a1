import { describe, expect, it } from 'vitest'
import { chunksOf, inBatches } from '../../src/queue/batchOf.ts'

const MEBIBYTE = 1_048_576

describe('chunksOf', () => {
  it('takes ten entries at most', () => {
    const chunks = chunksOf(Array.from({ length: 21 }), () => 1)
    expect(chunks.map((chunk) => chunk.length)).toEqual([10, 10, 1])
  })

  it('takes one mebibyte at most, to the byte', () => {
    const sizes = [MEBIBYTE - 10, 10, 1, MEBIBYTE, 5]
    expect(chunksOf(sizes, (size) => size)).toEqual([[MEBIBYTE - 10, 10], [1], [MEBIBYTE], [5]])
  })
})

describe('inBatches', () => {
  it('gives each entry its own outcome, also those that were not answered', async () => {
    const outcomes = await inBatches(
      [{}, {}, {}],
      () => 1,
      async () => ({
        Successful: [{ Id: '0' }],
        Failed: [{ Id: '2', Code: 'Throttled', Message: 'later' }],
      }),
    )
    expect(outcomes[0]).toBeUndefined()
    expect(outcomes[1]?.message).toContain('not answered')
    expect(outcomes[2]?.message).toBe('Throttled: later')
  })

  it('fails all entries of a call that failed, and no others', async () => {
    let calls = 0
    const outcomes = await inBatches(
      Array.from({ length: 11 }, () => ({})),
      () => 1,
      async (entries) => {
        calls += 1
        if (calls === 1) throw new Error('down')
        return { Successful: entries }
      },
    )
    expect(outcomes.filter((outcome) => outcome?.message === 'down')).toHaveLength(10)
    expect(outcomes[10]).toBeUndefined()
  })
})
