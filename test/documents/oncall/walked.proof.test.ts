import { afterEach, expect, it } from 'vitest'
import { INCIDENTS } from './incidents.ts'
import { openSite, type Site } from './site.ts'
import { walk } from './walk.ts'

/** In at most three steps the text names the true cause and its cure, and nothing that misleads. */
let site: Site | undefined
afterEach(async () => {
  await site?.stop()
})

it.each(INCIDENTS)('$source: $name', async ({ plant, walk: commands, cause, cure, never }) => {
  expect(commands.length).toBeLessThanOrEqual(3)
  site = await openSite()
  await plant(site)
  const printed = await walk(site, commands)
  for (const words of [...cause, ...cure]) expect(printed).toMatch(words)
  for (const words of never) expect(printed).not.toMatch(words)
})
