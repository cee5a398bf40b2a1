import type { Store } from '../../../../src/library/protocol/store/store.ts'
import type { Removal } from '../model.ts'
import type { ReturnedScenarioName } from './scenarios.ts'

export interface ReturnedProtection {
  readonly name: string
  readonly scenario: ReturnedScenarioName
  readonly removal: Removal
}

/** Every transaction creates a token of its own, as if the request's token had to meet no condition. */
function unconditional(base: Store): Store {
  let created = 0
  return {
    ...base,
    transact: async (claim, writes) => {
      if (!('create' in claim)) return base.transact(claim, writes)
      const made = await base.transact(claim, writes)
      if (made.kind === 'applied') return made
      return base.transact({ create: { ...claim.create, sk: `copy ${(created += 1)}` } }, writes)
    },
  }
}

/** The claim of a failed attempt is answered, and never written. */
const unclaimed = (base: Store): Store => ({
  ...base,
  create: (items) =>
    Promise.all(
      items.map(async (item) => {
        const isClaim = item.sk === 'token' && item['status'] === 'inProgress'
        if (!isClaim) return (await base.create([item]))[0]
        return { kind: 'applied', item } as const
      }),
    ).then((outcomes) => outcomes.filter((outcome) => outcome !== undefined)),
})

export const returnedProtections: readonly ReturnedProtection[] = [
  {
    name: 'the token that the writes create is new',
    scenario: 'sent',
    removal: { store: unconditional },
  },
  {
    name: 'an attempt that fails claims its request first',
    scenario: 'hopeless',
    removal: { store: unclaimed },
  },
  {
    name: 'a dead letter is sent by the holder of a claim',
    scenario: 'terminal',
    removal: { store: unclaimed },
  },
  {
    name: 'a copy that finds an open token stays on the queue',
    scenario: 'retried',
    removal: { acknowledges: ({ kind }) => kind === 'superseded' || kind === 'failed' },
  },
]
