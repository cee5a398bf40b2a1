import * as SNS from '../../src/library/base/limits/sns.ts'
import * as SQS from '../../src/library/base/limits/sqs.ts'
import { describe, expect, it } from 'vitest'
import { chunksOf, inBatches, answersOf } from '../../src/library/adapters/send/batches.ts'
import {
  EntryRefusedError,
  isCertain,
  NotSentError,
} from '../../src/library/protocol/send/refusal.ts'

function named(name: string, fault = 'client'): Error {
  return Object.assign(new Error(name), { name, $fault: fault })
}

function numbers(count: number): { readonly nth: number }[] {
  return Array.from({ length: count }, (_, nth) => ({ nth }))
}

describe('chunksOf', () => {
  it('takes ten entries at most', () => {
    const chunks = chunksOf(Array.from({ length: 21 }), () => 1, SQS)
    expect(chunks.map((chunk) => chunk.length)).toEqual([10, 10, 1])
  })

  it.each([
    ['SQS', SQS, 1_048_576],
    ['SNS', SNS, 262_144],
  ])('takes what a batch of %s takes, to the byte', (_, limits, most) => {
    const sizes = [most / 2, most / 2, 1, most, 1]
    expect(chunksOf(sizes, (size) => size, limits)).toEqual([
      [most / 2, most / 2],
      [1],
      [most],
      [1],
    ])
  })

  it('an entry that is longer than a batch goes alone', () => {
    const most = SNS.batchBytes
    expect(chunksOf([1, most + 1, 1, 1], (size) => size, SNS)).toEqual([[1], [most + 1], [1, 1]])
  })
})

describe('inBatches', () => {
  it('reports for each entry whether it was accepted, refused or not answered', async () => {
    const outcomes = await inBatches(
      [{}, {}, {}],
      () => 1,
      SQS,
      async () => ({
        Successful: [{ Id: '0' }],
        Failed: [{ Id: '2', Code: 'Throttled', Message: 'later' }],
      }),
    )
    expect(outcomes[0]).toBeUndefined()
    expect(outcomes[1]?.message).toContain('not answered')
    expect(outcomes[2]?.message).toBe('Throttled: later')
  })

  it('fails all entries of a call that was refused for now, and no others', async () => {
    let calls = 0
    const outcomes = await inBatches(
      Array.from({ length: 11 }, () => ({})),
      () => 1,
      SQS,
      async (entries) => {
        calls += 1
        if (calls === 1) throw named('ThrottlingException')
        return { Successful: entries }
      },
    )
    expect(outcomes.filter((outcome) => outcome?.name === 'ThrottlingException')).toHaveLength(10)
    expect(outcomes[10]).toBeUndefined()
    expect(calls).toBe(2)
  })

  it.each([
    ['an HTML page', new SyntaxError('Unexpected token <')],
    ['a lost connection', new Error('socket hang up')],
    ['a failure of the service', named('InternalFailure', 'server')],
    ['a refusal of a message', named('InvalidParameterValue')],
    ['a receipt that is gone', named('ReceiptHandleIsInvalid')],
  ])('a call that always fails is taken apart: %s', async (_, error) => {
    const calls: number[] = []
    const outcomes = await inBatches(
      numbers(12),
      () => 1,
      SQS,
      async (entries) => {
        calls.push(entries.length)
        if (entries.length > 1) throw error
        return { Successful: entries }
      },
    )
    expect(outcomes).toEqual(numbers(12).map(() => undefined))
    expect(calls.toSorted((a, b) => b - a)).toEqual([10, 2, ...numbers(12).map(() => 1)])
  })

  it.each([new Error('socket hang up'), named('ValidationException')])(
    'one entry that breaks its call fails alone: $name',
    async (error) => {
      const outcomes = await inBatches(
        numbers(10),
        () => 1,
        SQS,
        async (entries) => {
          if (entries.some(({ nth }) => nth === 4)) throw error
          return { Successful: entries }
        },
      )
      expect(outcomes).toEqual(numbers(10).map(({ nth }) => (nth === 4 ? error : undefined)))
    },
  )

  it.each(['ThrottlingException', 'AccessDenied', 'QueueDoesNotExist', 'KmsDisabled'])(
    'a clear answer about the target is asked for once: %s',
    async (name) => {
      let calls = 0
      await inBatches(
        numbers(10),
        () => 1,
        SQS,
        async () => {
          calls += 1
          throw named(name)
        },
      )
      expect(calls).toBe(1)
    },
  )

  it('a batch that is too long for its target is cut until each entry fits, or is refused alone', async () => {
    const tooLong = Object.assign(new Error('too long'), { name: 'BatchRequestTooLongException' })
    const calls: number[] = []
    const outcomes = await inBatches(
      [10, 10, 10, 90].map((size) => ({ size })),
      () => 1,
      SNS,
      async (entries) => {
        calls.push(entries.length)
        if (entries.reduce((sum, { size }) => sum + size, 0) > 50) throw tooLong
        return { Successful: entries }
      },
    )
    expect(calls).toEqual([4, 2, 2, 1, 1])
    expect(outcomes).toEqual([undefined, undefined, undefined, tooLong])
  })
})

it.each([
  ['on a FIFO queue nothing is sent after what was not accepted', true, 2],
  ['else every call is made', false, 3],
])('%s', async (_, inOrder, made) => {
  const calls: number[] = []
  const answers = await answersOf(
    Array.from({ length: 21 }, () => ({})),
    () => 1,
    SQS,
    async (entries) => {
      calls.push(entries.length)
      const isSecond = calls.length === 2
      return { Successful: entries.slice(isSecond ? 1 : 0) }
    },
    inOrder,
  )
  expect(calls).toHaveLength(made)
  expect(answers.at(-1) instanceof NotSentError).toBe(inOrder)
})

describe('on a FIFO queue', () => {
  it('the messages of a call that was not answered are sent one after the other, up to one that fails', async () => {
    const lost = new Error('socket hang up')
    const sent: number[] = []
    const answers = await answersOf(
      numbers(13),
      () => 1,
      SQS,
      async (entries) => {
        if (entries.length > 1 || entries[0]?.nth === 3) throw lost
        sent.push(...entries.map(({ nth }) => nth))
        return { Successful: entries }
      },
      true,
    )
    expect(sent).toEqual([0, 1, 2])
    // The first call may have taken them: they are not called unsent.
    expect(answers.slice(3, 10)).toEqual(Array.from({ length: 7 }, () => lost))
    expect(answers.slice(10).every((answer) => answer instanceof NotSentError)).toBe(true)
  })

  it('nothing is sent after a message that is too long by itself', async () => {
    const sent: number[] = []
    await answersOf(
      numbers(4),
      () => 1,
      SQS,
      async (entries) => {
        if (entries.length > 1 || entries[0]?.nth === 0) throw named('BatchRequestTooLong')
        sent.push(...entries.map(({ nth }) => nth))
        return { Successful: entries }
      },
      true,
    )
    expect(sent).toEqual([])
  })
})

it('a message that may have been sent with its batch is not called unsent when it is refused for now', async () => {
  const lost = new Error('socket hang up')
  const outcomes = await inBatches(
    numbers(2),
    () => 1,
    SQS,
    async (entries) => {
      throw entries.length > 1 ? lost : named('ThrottlingException')
    },
  )
  expect(outcomes).toEqual([lost, lost])
})

it.each([
  ['an entry that was refused', new EntryRefusedError('InternalError', 'no'), true],
  ['an entry without an answer', new EntryRefusedError(undefined, 'no answer'), false],
  ['a lost connection', new Error('socket hang up'), false],
])('%s: it is certain that it was not sent, or it is not', (_, error, certain) => {
  expect(isCertain(error)).toBe(certain)
})
