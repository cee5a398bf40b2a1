import { changing, dropping, pretending, those } from '../removals.ts'
import type { Removal } from '../model.ts'
import type { EndingScenarioName } from './scenarios.ts'

export interface EndingProtection {
  readonly name: string
  readonly scenarios: readonly EndingScenarioName[]
  readonly removal: Removal
}

const MARKS = those('marks 1:')

export const endingProtections: readonly EndingProtection[] = [
  {
    name: 'a message stays until its death was told',
    scenarios: ['told'],
    removal: { acknowledges: ({ kind }) => kind === 'retrying' },
  },
  {
    name: 'an onFailure that failed is tried again',
    scenarios: ['fails', 'hidden'],
    removal: { acknowledges: ({ kind }) => kind === 'retrying' || kind === 'failed' },
  },
  {
    name: 'an effect of onFailure needs the claim',
    scenarios: ['told'],
    removal: { store: dropping('attemptId', MARKS) },
  },
  {
    name: 'an effect of onFailure happens once',
    scenarios: ['fails', 'told'],
    removal: {
      store: changing(MARKS, ({ addTo: _mark, ...update }) => ({
        ...update,
        where: update.where.filter((each) => !('lacks' in each)),
      })),
    },
  },
  {
    name: 'each death has marks of its own',
    scenarios: ['diesAgain'],
    removal: {
      store: changing(those('marks 2:', 'marks 3:', 'marks 4:'), (update) => ({
        ...update,
        where: update.where.map((each) => ('lacks' in each ? { ...each, lacks: '1:tell' } : each)),
      })),
    },
  },
  {
    name: 'the end is written before the message goes',
    scenarios: ['told'],
    removal: { store: pretending(those('buries')) },
  },
  {
    name: 'the death is written before onFailure runs',
    scenarios: ['told'],
    removal: { store: pretending(those('ends the request')) },
  },
  {
    name: 'a death that is final is stored as such',
    scenarios: ['finalRedriven'],
    removal: {
      store: changing(
        those('ends the request'),
        ({ set: { final: _final, ...set } = {}, ...update }) => ({
          ...update,
          set,
        }),
      ),
    },
  },
]
