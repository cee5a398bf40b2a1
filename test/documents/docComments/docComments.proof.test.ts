import { expect, it } from 'vitest'
import { publicDocs } from './publicDocs.ts'
import { typeCheck } from './typeCheck.ts'

it('what an editor shows of a public name shows examples that compile', async () => {
  await expect(typeCheck(publicDocs())).resolves.toBeUndefined()
})
