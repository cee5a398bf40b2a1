import type { Item, Update } from '../../../../src/store/store.ts'
import type { CrashFault } from '../../../../src/testing/crashes/simulation/crashFaults.ts'
import type { Removal } from '../model.ts'
import { both, changing, dropping, pretending, showing, those } from '../removals.ts'
import type { UndoScenarioName } from './scenarios.ts'

export interface UndoProtection {
  readonly name: string
  readonly scenario: UndoScenarioName
  readonly removal: Removal
  readonly only: readonly CrashFault[]
  /** Invocations that may run at once. Default 3. */
  readonly deliveries?: number
  /** Why no promise breaks without it, if none does. */
  readonly survives?: string
}

const KILLS: readonly CrashFault[] = ['killed on the wire', 'clock jumps']
const NONE: readonly CrashFault[] = []

const decides = those('decides to undo')
const ofUndo = ({ key }: Update): boolean => key.pk.includes('.undo/')
const isMark = (update: Update): boolean => update.addTo !== undefined && ofUndo(update)

const storesResult = ({ set = {} }: Update): boolean =>
  Object.entries(set).some(([name, text]) => name.startsWith('step:') && text !== 'start')

function withoutStep(update: Update): Update {
  return {
    ...update,
    where: update.where.filter((each) => !JSON.stringify(each).includes('step:')),
  }
}

/** Readers take a request that is undone for a dead one. */
function asDead(token: Item): Item {
  const isOver = token['status'] === 'undoing' || token['status'] === 'undone'
  const { pk } = token
  const isUndo = typeof pk === 'string' && pk.includes('.undo/')
  return isOver && !isUndo ? { ...token, status: 'error' } : token
}

export const undoProtections: readonly UndoProtection[] = [
  {
    name: 'the operator undoes only what was shown: the attempt, its fence and its status',
    scenario: 'beside',
    removal: { store: changing(decides, (update) => ({ ...update, where: [] })) },
    only: NONE,
  },
  {
    name: 'the same, only the attempt',
    scenario: 'beside',
    removal: { store: dropping('attemptId', decides) },
    only: NONE,
    survives: 'the status and the fence say the same: each claim raises the fence',
  },
  {
    name: 'what is undone is never reopened',
    scenario: 'beside',
    removal: { store: showing(asDead) },
    only: NONE,
  },
  {
    name: 'effects of an undo are marked on its own token',
    scenario: 'operator',
    removal: {
      store: changing(isMark, ({ addTo: _mark, ...update }) => ({
        ...update,
        where: update.where.filter((each) => !('lacks' in each)),
      })),
    },
    only: KILLS,
  },
  {
    name: 'the marks of an undo are written under its fence',
    scenario: 'operator',
    removal: {
      store: both(
        dropping('attemptId', isMark),
        changing(isMark, (update) => ({
          ...update,
          where: update.where.filter((each) => !('lacks' in each)),
        })),
      ),
    },
    only: KILLS,
  },
  {
    name: 'the start of each call with a handler is stored',
    scenario: 'unsure',
    removal: {
      store: both(pretending(those('stores START')), changing(storesResult, withoutStep)),
    },
    only: KILLS,
    deliveries: 1,
  },
  {
    name: 'the end of the undo is noted on the dead request',
    scenario: 'operator',
    removal: { store: pretending(those('notes the request as undone')) },
    only: NONE,
  },
  {
    name: 'a request is dying until its undo is asked for',
    scenario: 'undoDead',
    removal: {
      store: changing(those('marks the request as dying'), ({ set = {}, ...update }) => ({
        ...update,
        set: { ...set, status: 'undoing' },
      })),
    },
    only: KILLS,
  },
]
