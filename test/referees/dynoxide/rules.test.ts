import { expect, it } from 'vitest'
import { startDynoxide } from '../../store/dynoxide.ts'
import { DYNOXIDE } from '../engines.ts'
import { differencesOn, knownOn } from '../rules.ts'

it('answers as AWS, but for what is named', async () => {
  const { endpoint, stop } = await startDynoxide()
  const found = await differencesOn(endpoint)
  await stop()
  expect(found).toEqual(knownOn(DYNOXIDE, found))
})
