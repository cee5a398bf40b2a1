import { describe, expect, it } from 'vitest'
import {
  confirm,
  type Counted,
  isAnomaly,
  judge,
  type Judgement,
  type Rules,
} from '../../../../src/tools/operator/reconcile/judge.ts'
import type { KnownRequest } from '../../../../src/tools/operator/reconcile/knownRequest.ts'

/** The world at one moment: what the table shows, and how many rows the ledger has. */
interface World {
  readonly token: KnownRequest | undefined
  readonly rows: number
}

type Step = (world: World) => World

const BLANK: KnownRequest = {
  joinKey: 'r1',
  id: 'r1',
  pk: 'lock#orders/r1',
  state: 'open',
  marks: [],
  began: undefined,
  retried: false,
  settledBy: undefined,
  mayHaveRunBefore: false,
}

const claim: Step = (world) => ({ ...world, token: { ...(world.token ?? BLANK), state: 'open' } })
const end =
  (state: KnownRequest['state'], marks?: []): Step =>
  ({ token = BLANK, rows }) => ({ rows, token: { ...token, state, marks: marks ?? token.marks } })
const complete = end('completed', [])
const die = end('dead')
/** The row and its mark, in one transaction. */
const effect =
  (name: string): Step =>
  ({ token = BLANK, rows }) => ({
    rows: rows + 1,
    token: { ...token, marks: [...token.marks, name] },
  })
const unmarkedRow: Step = (world) => ({ ...world, rows: world.rows + 1 })
const lostRow: Step = (world) => ({ ...world, rows: world.rows - 1 })

/** Whole lives of a request with two effects. */
const LIVES: Readonly<Record<string, readonly Step[]>> = {
  'it completes': [claim, effect('a'), effect('b'), complete],
  'it dies, is redriven and completes': [claim, effect('a'), die, claim, effect('b'), complete],
  'it dies between its effects': [claim, effect('a'), die],
  'it dies with all effects, and is redriven': [
    claim,
    effect('a'),
    effect('b'),
    die,
    claim,
    complete,
  ],
}

const RULES: Rules = {
  expected: { least: 2, most: 2 },
  names: { effects: ['a', 'b'], calls: [] },
  window: { since: undefined, until: undefined },
  lifetime: 0,
  rememberedSince: 0,
}

/** What the audit has read, each at a moment of its own. */
interface Readings {
  readonly first: World
  readonly ledger: World
  readonly second: World
}

type Audit = (readings: Readings) => Judgement

const counted = ({ rows }: World): Counted => ({ effect: undefined, count: rows, newest: 1 })
const audit: Audit = ({ first, ledger, second }) =>
  confirm(first.token, second.token, counted(ledger), RULES)

/** All moments of a life, from before the claim to the end. */
function worldsOf(life: readonly Step[]): readonly World[] {
  return life.reduce<World[]>(
    (worlds, step) => [...worlds, step(worlds.at(-1) ?? NOTHING)],
    [NOTHING],
  )
}
const NOTHING: World = { token: undefined, rows: 0 }

/** The audit at any three moments in this order; a page of the scan may also be older than it should be. */
function* readingsOf(worlds: readonly World[]): Generator<Readings> {
  for (const [nth, first] of worlds.entries()) {
    for (const [later, ledger] of worlds.entries()) {
      if (later < nth) continue
      for (const second of worlds.slice(later)) yield { first, ledger, second }
    }
  }
}

/** Readings of sound lives that the audit calls wrong. */
function falseAlarms(
  by: Audit,
  order: (readings: Readings) => Readings = (same) => same,
): string[] {
  return Object.entries(LIVES).flatMap(([life, steps]) =>
    [...readingsOf(worldsOf(steps))]
      .map((readings) => by(order(readings)))
      .filter(isAnomaly)
      .map(({ kind }) => `${kind}: ${life}`),
  )
}

describe('an audit beside a running consumer', () => {
  it('reports no sound request, in any of the interleavings', () => {
    const number = Object.values(LIVES).flatMap((life) => [...readingsOf(worldsOf(life))]).length
    expect(number).toBe(35 + 84 + 20 + 84)
    expect(falseAlarms(audit)).toEqual([])
  })

  // Each protection, switched off.
  it('the ledger before the table: what completes in between looks lost', () => {
    const swapped = ({ first, ledger, second }: Readings): Readings => ({
      first: ledger,
      ledger: first,
      second,
    })
    expect(falseAlarms(audit, swapped)).toContain('lost: it completes')
  })

  it('no second reading: what is claimed in between looks foreign or unmarked', () => {
    const once: Audit = ({ first, ledger }) => judge(first.token, counted(ledger), RULES)
    const found = falseAlarms(once)
    expect(found).toContain('foreign: it completes')
    expect(found).toContain('unmarked: it completes')
  })

  it('only the second reading: what completes after the ledger looks lost', () => {
    const late: Audit = ({ ledger, second }) => judge(second.token, counted(ledger), RULES)
    expect(falseAlarms(late)).toContain('lost: it completes')
  })

  it('either direction in either reading: what goes on in between looks lost', () => {
    const any: Audit = ({ first, ledger, second }) => {
      const before = judge(first.token, counted(ledger), RULES)
      return isAnomaly(before) ? judge(second.token, counted(ledger), RULES) : before
    }
    expect(falseAlarms(any)).toContain('lost: it completes')
  })
})

/** Faults of a consumer, and what a later audit has to call them. */
const FAULTS: Readonly<Record<string, { readonly life: readonly Step[]; readonly kind: string }>> =
  {
    'a row twice': {
      life: [claim, effect('a'), unmarkedRow, effect('b'), complete],
      kind: 'double',
    },
    'a row twice, and it died': {
      life: [claim, effect('a'), effect('b'), unmarkedRow, die],
      kind: 'double',
    },
    'a row without its mark': { life: [claim, unmarkedRow, die], kind: 'unmarked' },
    'a mark without its row': { life: [claim, effect('a'), lostRow, die], kind: 'lost' },
    'completed without its row': { life: [claim, effect('a'), complete], kind: 'lost' },
    'a row that no request made': { life: [unmarkedRow], kind: 'foreign' },
  }

describe('an audit after the fault', () => {
  it.each(Object.entries(FAULTS))('%s', (_, { life, kind }) => {
    const world = worldsOf(life).at(-1) ?? NOTHING
    expect(audit({ first: world, ledger: world, second: world }).kind).toBe(kind)
  })
})
