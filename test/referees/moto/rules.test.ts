import { expect, it } from 'vitest'
import { MOTO } from '../engines.ts'
import { differencesOn, knownOn } from '../rules.ts'
import { startMoto } from './startMoto.ts'

it('answers as AWS, but for what is named', async () => {
  const moto = await startMoto()
  // It puts all tables back when it refuses a transaction.
  const found = await differencesOn(moto.endpoint, 1)
  await moto.stop()
  expect(found).toEqual(knownOn(MOTO, found))
})
