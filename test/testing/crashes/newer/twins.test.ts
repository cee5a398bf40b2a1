import { exploreCrashes } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { isProof } from '../../../proof/depth.ts'
import { FIRST, TWINS } from './twins.ts'

const FOUND = TWINS.filter(({ isCheap }) => isProof || isCheap)

it.each(FOUND)('is found without it: $title', async ({ build, options, says }) => {
  const report = await exploreCrashes(build(false), FIRST, { together: 1, ...options })
  expect(report.text).toMatch(says)
})
