import { expect, it } from 'vitest'
import type { OpenContext } from '../../../src/context/openContext.ts'
import { StaleError } from '../../../src/base/errors.ts'
import { undoEffects } from '../../../src/features/undo/undoEffects.ts'
import { attemptOf, store } from '../../context/attemptOf.ts'

/** Undoes one effect `reserve` with these handlers. */
function undo(opened: OpenContext, handlers: Readonly<Record<string, unknown>>): Promise<void> {
  const of = { where: "consumer 'orders'", undo: { handlers } as never }
  const made = new Map([['reserve', async () => ({}) as never]])
  return undoEffects({ of, opened, payload: {}, made })
}

it.each([
  ['an effect that the option undo no longer names', {}, 'no longer has that name'],
  [
    'a handler that throws StaleError',
    {
      reserve: () => {
        throw new StaleError('gone')
      },
    },
    'cannot end an undo',
  ],
])('%s stops the undo, which is dead-lettered', async (_, handlers, text) => {
  const opened = await attemptOf(store(), 'a')
  await expect(undo(opened, handlers)).rejects.toMatchObject({
    code: 'TERMINAL',
    message: expect.stringContaining(text),
  })
})
