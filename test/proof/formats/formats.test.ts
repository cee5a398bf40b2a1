import { expect, it } from 'vitest'
import { beginAll, ENDS, endAll, loadLibrary, recorded } from './library.ts'

/** If it is meant to change: `npm test -- test/proof/formats -u`; then the difference to `v0.2.0.snap` goes to the changelog. */
it('stores and sends exactly what is written down', async () => {
  const begun = await beginAll(await loadLibrary('present'))
  await expect(JSON.stringify(begun, undefined, 2)).toMatchFileSnapshot('present.snap')
})

it.each(['v0.2.0', 'present'])('ends what %s has begun', async (version) => {
  expect(await endAll(await loadLibrary('present'), recorded(version))).toEqual(ENDS)
})
