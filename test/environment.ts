import { afterAll, vi } from 'vitest'

/** Files share a process, and the SDK takes its settings from the environment: what one file sets must not reach the next. */
const before = { ...process.env }

afterAll(() => {
  vi.unstubAllEnvs()
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
})
