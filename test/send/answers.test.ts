import { expect, it } from 'vitest'
import * as SQS from '../../src/base/limits/sqs.ts'
import { answersOf } from '../../src/send/batches.ts'
import { EntryRefusedError, isCertain, NotSentError } from '../../src/send/refusal.ts'

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

it.each([
  ['an entry that was refused', new EntryRefusedError('InternalError', 'no'), true],
  ['an entry without an answer', new EntryRefusedError(undefined, 'no answer'), false],
  ['a lost connection', new Error('socket hang up'), false],
])('%s: it is certain that it was not sent, or it is not', (_, error, certain) => {
  expect(isCertain(error)).toBe(certain)
})
