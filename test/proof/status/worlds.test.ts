import { env } from 'node:process'
import { expect, it } from 'vitest'
import { isProof } from '../depth.ts'
import { isBetween } from './facts.ts'
import { look } from './look.ts'
import { makeWorld } from './makeWorld.ts'
import { judge } from './oracle.ts'
import { everyKind } from './everyKind.ts'

const ONE = env['LINECLEAR_FUZZ_SEED']
const WORLDS = isProof ? 200 : 15
const SEEDS = ONE === undefined ? Array.from({ length: WORLDS }, (_, at) => at + 1) : [Number(ONE)]

it('status is true on worlds that are broken by chance', async () => {
  const kinds = new Set<string>()
  for (const seed of SEEDS) {
    const world = makeWorld(seed)
    if (isBetween(world)) continue
    const seen = await look(world)
    for (const { kind } of seen.json.findings ?? []) kinds.add(kind)
    const denied = `denied: ${[...world.denied].join(', ') || 'nothing'}`
    const shown = ['', `seed ${seed}`, denied, ...seen.text, ...seen.errors].join('\n')
    expect(judge(world, seen), shown).toEqual([])
  }
  // Fewer worlds do not have every kind.
  const missing = isProof && ONE === undefined ? everyKind.filter((kind) => !kinds.has(kind)) : []
  expect(missing, 'kinds of findings that were never judged').toEqual([])
})
