import { expect, it } from 'vitest'
import { beginAll, ENDS, endAll, loadLibrary, recorded } from './library.ts'

/** If it is meant to change: `npm test -- test/proof/formats -u`. */
it('stores and sends exactly what is written down', async () => {
  const begun = await beginAll(await loadLibrary())
  await expect(JSON.stringify(begun, undefined, 2)).toMatchFileSnapshot('present.snap')
})

it('ends what it has begun', async () => {
  expect(await endAll(await loadLibrary(), recorded())).toEqual(ENDS)
})
