import { afterEach, expect, it } from 'vitest'
import { inTurn } from '../../proof/depth.ts'
import { INCIDENTS } from './incidents.ts'
import { openSite, type Site, until } from './site.ts'
import { carryOut, walk } from './walk.ts'

/** In at most three steps the text names the true cause and its cure, and nothing that misleads. */
let site: Site | undefined
afterEach(async () => {
  await site?.stop()
})

it.each(inTurn(INCIDENTS, 3))('$source: $name', async (incident) => {
  const { plant, walk: commands, cause, cure, never, carryOut: carried } = incident
  expect(commands.length).toBeLessThanOrEqual(3)
  site = await openSite()
  await plant(site)
  const printed = await walk(site, commands)
  for (const words of [...cause, ...cure]) expect(printed).toMatch(words)
  for (const words of never) expect(printed).not.toMatch(words)
  if (carried === undefined) return
  const done = await carryOut(site, carried.commands)
  const current = site
  await until(() => carried.isMended(current)).catch((error: unknown) => {
    throw new Error(`it is not mended by:\n${done}`, { cause: error })
  })
})
