import { describe, expect, it } from 'vitest'
import { PROMISES, SMALL_CHECKS } from './checks.ts'
import { CONDITIONS, mutantsOf } from './conditions.ts'
import { treeOf } from './moduleOf.ts'
import { explore } from './tla/explore.ts'

/** TLC takes all searches (`npm run tlc -- --left-out`), this explorer the first one of each module. */
describe.each(['Token', 'Stage'] as const)(
  'without a condition of %s a promise breaks',
  (module) => {
    const check = SMALL_CHECKS.find((one) => one.module === module)
    const breaking = mutantsOf(module).flatMap((mutant) => {
      const found = CONDITIONS[module][mutant.lacks] ?? ''
      const [, promise, what] = /^breaks (\w+): (.*)$/.exec(found) ?? []
      return promise !== undefined && what === check?.what ? [{ ...mutant, promise }] : []
    })

    it.each(breaking)('$lacks', ({ place, body, promise }) => {
      const tree = treeOf(module)
      const definition = tree.definitions[place]
      if (check === undefined || definition === undefined)
        throw new Error('there is no such search')
      const definitions = tree.definitions.with(place, { ...definition, body })
      const bounds = { constants: check.constants, promises: PROMISES[module], most: 20_000 }
      expect(explore({ ...tree, definitions }, bounds).broken?.promise).toBe(promise)
    })
  },
)
