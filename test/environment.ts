import { inspect } from 'node:util'
import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { takeWarnings } from './deliver/quietLogger.ts'

/** Files share a process, and the SDK takes its settings from the environment: what one file sets must not reach the next. */
const before = { ...process.env }

beforeEach(() => void takeWarnings())

/** Why a record failed stands in what the quiet logger kept. Tests that run side by side in one file show each other's lines, too. */
afterEach(({ task }) => {
  const error = task.result?.errors?.at(-1)
  if (error === undefined) return
  const kept = takeWarnings().map((line) => `  ${inspect(line, { breakLength: Infinity })}`)
  if (kept.length > 0) error.message += `\nThe quiet logger kept:\n${kept.join('\n')}`
})

afterAll(() => {
  vi.unstubAllEnvs()
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
})
