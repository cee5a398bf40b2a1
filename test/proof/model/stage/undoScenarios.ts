import { type Scenario, scenario } from './scenario.ts'

const newest = { order: 'newest' } as const
const X = { uid: 'X', sentAt: 1 }
const Y = { uid: 'Y', sentAt: 2 }
const Z = { uid: 'Z', sentAt: 3 }
const CALL: Scenario['stages'] = {
  A: [{ call: 'pay', as: 'idempotent' }, { effect: 'a' }],
}

/** Runs whose effects are undone when they are ended before their time. */
export const UNDO_SCENARIOS: readonly Scenario[] = [
  scenario({
    name: 'undo: superseded',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    undo: ['A', 'B'],
    copies: 12,
  }),
  scenario({
    name: 'undo: superseded, one stage',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    stages: { A: [{ effect: 'a' }] },
    undo: ['A'],
    copies: 12,
  }),
  scenario({
    name: 'undo: superseded, one stage, 2 faults',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    stages: { A: [{ effect: 'a' }] },
    undo: ['A'],
    faults: 2,
    copies: 12,
  }),
  scenario({
    name: 'undo: superseded, with an outside call',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    stages: CALL,
    undo: ['A'],
    copies: 12,
  }),
  scenario({
    name: 'undo: superseded twice',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y, Z],
    stages: { A: [{ effect: 'a' }] },
    undo: ['A'],
    copies: 12,
  }),
  scenario({
    name: 'undo: given up',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    undo: ['A', 'B'],
    ages: 1,
    copies: 12,
  }),
  scenario({
    name: 'undo: given up or superseded',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    undo: ['A'],
    ages: 1,
    errors: 1,
    copies: 12,
  }),
  scenario({
    name: 'undo: dead, redriven, superseded',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    stages: { A: [{ effect: 'a' }] },
    undo: ['A'],
    errors: 2,
    redrives: 2,
    copies: 12,
  }),
  scenario({
    name: 'undo: superseded while it waits for an answer',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    stages: {
      A: [{ effect: 'a' }, { awaits: 'found', ids: ['e1'], need: 1 }],
      found: [{ effect: 'f' }],
    },
    undo: ['A', 'found'],
    copies: 12,
  }),
]
