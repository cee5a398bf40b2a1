import { type Request, type Scenario, scenario, type Step } from './scenario.ts'

const X: Request = { uid: 'X', sentAt: 1 }
const Y: Request = { uid: 'Y', sentAt: 2 }

const newest = { process: 'newest', reports: true } as const
const TWO: Readonly<Record<string, readonly Step[]>> = { A: [{ effect: 'a' }, { effect: 'b' }] }
const CALLS: Readonly<Record<string, readonly Step[]>> = {
  A: [{ call: 'pay', as: 'stop' }, { effect: 'a' }, { send: 'B' }],
  B: [{ effect: 'b' }],
}
const FORK: Readonly<Record<string, readonly Step[]>> = {
  A: [{ send: 'B' }, { send: 'C' }],
  B: [{ effect: 'b' }],
  C: [{ effect: 'c' }],
}

/** Flows with a failure handler. */
export const REPORT_SCENARIOS: readonly Scenario[] = [
  scenario({
    name: 'reported, superseded',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    stages: TWO,
  }),
  scenario({
    name: 'reported, superseded over two stages with a call',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    stages: CALLS,
  }),
  scenario({
    name: 'reported, reset beside a live attempt',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: TWO,
    resets: 1,
  }),
  scenario({
    name: 'reported, dead and redriven twice',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    errors: 2,
    redrives: 2,
  }),
  scenario({
    name: 'reported, dead, dropped or redriven',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    errors: 2,
    redrives: 2,
    drops: 2,
  }),
  scenario({
    name: 'reported, every: dead, dropped beside another',
    process: 'every',
    reports: true,
    onConflict: 'defer',
    requests: [X, Y],
    stages: { A: [{ effect: 'a' }] },
    errors: 2,
    redrives: 1,
    drops: 1,
  }),
  scenario({
    name: 'reported, dead and overtaken',
    ...newest,
    onConflict: 'supersede',
    requests: [X, Y],
    stages: TWO,
    errors: 2,
    redrives: 1,
  }),
  scenario({
    name: 'reported, one branch dies',
    ...newest,
    onConflict: 'defer',
    requests: [X],
    stages: FORK,
    errors: 2,
    redrives: 1,
  }),
  scenario({
    name: 'reported, given up',
    ...newest,
    onConflict: 'defer',
    requests: [X, Y],
    stages: TWO,
    ages: 2,
    faults: 2,
  }),
]
