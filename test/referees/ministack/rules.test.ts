import { expect, it } from 'vitest'
import { MINISTACK } from '../engines.ts'
import { differencesOn, knownOn } from '../rules.ts'
import { startMinistack } from './startMinistack.ts'

it('answers as AWS, but for what is named', async () => {
  const { endpoint, stop } = await startMinistack()
  const found = await differencesOn(endpoint)
  await stop()
  expect(found).toEqual(knownOn(MINISTACK, found))
})
