import { expect, it } from 'vitest'
import { awaitEffects } from '../../src/library/run/context/handlerResult.ts'
import { attemptOf, store } from './attemptOf.ts'

it('the effects that a failed handler has begun end before the next attempt can start', async () => {
  const effects = Promise.withResolvers<void>()
  let ended = false
  const failed = awaitEffects(
    () => Promise.reject(new Error('first')),
    () => effects.promise,
  ).catch((error: unknown) => {
    ended = true
    return error
  })
  await new Promise(setImmediate)
  expect(ended).toBe(false)
  effects.reject(new Error('second'))
  expect(await failed).toMatchObject({ message: 'first' })
})

it('an outside call whose turn comes after the end of its attempt is not made', async () => {
  const { ctx, close } = await attemptOf(store(), 'a')
  let made = 0
  const late = ctx.call('pay', () => (made += 1))
  close()
  await expect(late).rejects.toMatchObject({ code: 'RETRYABLE' })
  expect(made).toBe(0)
})
