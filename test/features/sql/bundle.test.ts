import { expect, it } from 'vitest'
import { bundleOf } from '../../package/bundleOf.ts'

it('nothing of SQL is in the bundle of a consumer without the option', async () => {
  const bundle = await bundleOf(
    "import { defineFlow, recordHandler } from 'lineclear'; globalThis.x = [defineFlow, recordHandler]",
  )
  expect(bundle).not.toMatch(/library\/features\/sql\/|lineclear_fence|async_hooks/)
})

it('the entry loads no database client', async () => {
  const bundle = await bundleOf(
    "import { postgresEffects } from 'lineclear/postgres'; globalThis.x = postgresEffects",
  )
  expect(bundle).toContain('lineclear_fence')
  expect(bundle).not.toMatch(/from "(?:pg|postgres|kysely|drizzle-orm)/)
})
