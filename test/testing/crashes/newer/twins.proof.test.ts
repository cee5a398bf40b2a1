import { exploreCrashes } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { SOUND } from '../consumerOf.ts'
import { FIRST, TWINS } from './twins.ts'

it.each(TWINS)('passes completely: $title', async ({ build, options }) => {
  const report = await exploreCrashes(build(true), FIRST, { together: 1, ...options })
  expect(report, report.text).toMatchObject({ ...SOUND, complete: true })
})
