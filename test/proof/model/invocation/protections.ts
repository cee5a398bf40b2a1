import type { Store } from 'lineclear'
import type { Condition, Update } from '../../../../src/library/protocol/store/store.ts'
import type { CrashFault } from '../../../../src/testing/crashes/simulation/crashFaults.ts'
import { both, changing, dropping, pretending } from '../removals.ts'
import type { ScenarioName } from './scenarios.ts'

type Which = (update: Update) => boolean
type Wrap = (store: Store) => Store

export interface InvocationProtection {
  readonly name: string
  readonly scenario: ScenarioName
  readonly only: readonly CrashFault[]
  /** Takes the protection away. */
  readonly without: Wrap
  /** Why nothing breaks. */
  readonly survives?: string
}

const KILLS: readonly CrashFault[] = ['killed on the wire', 'clock jumps']

const isTakeover: Which = ({ set }) => set?.['attemptId'] !== undefined
const isMark: Which = ({ addTo }) => addTo !== undefined
const storesStep =
  (value: (text: string) => boolean): Which =>
  ({ set = {} }) =>
    Object.entries(set).some(([name, text]) => name.startsWith('step:') && value(String(text)))

function isOnStep(condition: Condition): boolean {
  return JSON.stringify(condition).includes('step:')
}

function without(update: Update, ...names: readonly string[]): Update {
  const { set = {}, remove = [] } = update
  const kept = Object.entries(set).filter(([name]) => !names.includes(name))
  return { ...update, set: Object.fromEntries(kept), remove: [...new Set([...remove, ...names])] }
}

/** Every claim says this about the last sign of life. */
function claiming(aliveUntil: (leaseUntil: number) => number | undefined): Wrap {
  return (base) => ({
    ...base,
    create: (items) =>
      base.create(
        items.map(({ aliveUntil: _given, ...item }) => {
          const said = aliveUntil(Number(item['leaseUntil']))
          return said === undefined ? item : { ...item, aliveUntil: said }
        }),
      ),
  })
}

export const protections: readonly InvocationProtection[] = [
  {
    name: 'an effect and its mark are one transaction',
    scenario: 'books',
    only: KILLS,
    without: changing(isMark, ({ addTo: _mark, ...update }) => ({
      ...update,
      where: update.where.filter((each) => !('lacks' in each)),
    })),
  },
  {
    name: 'a mark is written under the fence of its attempt',
    scenario: 'books',
    only: KILLS,
    without: both(
      dropping('attemptId', isMark),
      changing(isMark, (update) => ({
        ...update,
        where: update.where.filter((each) => !('lacks' in each)),
      })),
    ),
  },
  {
    name: 'a takeover keeps the marks',
    scenario: 'books',
    only: KILLS,
    without: changing(isTakeover, (update) => without(update, 'applied')),
  },
  {
    name: 'a takeover keeps the time of the first attempt, which is in the ids of messages',
    scenario: 'books',
    only: KILLS,
    without: changing(isTakeover, (update) => ({
      ...update,
      set: { ...update.set, since: Number(update.set?.['leaseUntil']) },
    })),
  },
  {
    name: "a call with ifUnknown 'stop' is stored before it is made",
    scenario: 'inDoubt',
    only: KILLS,
    without: both(
      pretending(storesStep((text) => text === 'start')),
      changing(
        storesStep((text) => text !== 'start'),
        (update) => ({ ...update, where: update.where.filter((each) => !isOnStep(each)) }),
      ),
    ),
  },
  {
    name: 'a takeover fences a call that has not begun',
    scenario: 'inDoubt',
    only: KILLS,
    without: dropping(
      'attemptId',
      storesStep((text) => text === 'start'),
    ),
  },
  {
    name: 'a retry of the same request takes over from a killed attempt before its lease ends',
    scenario: 'books',
    only: KILLS,
    without: claiming(() => undefined),
  },
  {
    name: 'a takeover waits for half a minute without a sign of life',
    scenario: 'books',
    only: KILLS,
    without: claiming(() => 0),
    survives: 'every effect is fenced; waiting saves work, and calls that would be parked in doubt',
  },
  {
    name: 'the same, where a call must not be repeated',
    scenario: 'inDoubt',
    only: KILLS,
    without: claiming(() => 0),
    survives: 'the call begins with a fenced write, so one attempt makes it and the other parks',
  },
]
