import type { Mutation } from './mutation.ts'
import { dropping, following, leaving, replacing } from './removals.ts'

const DROPPED = 'reported, dead, dropped or redriven'

export const REPORT_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a superseded run is reported with all that it has made',
    removal: dropping(/^starts$/, /^applied$/),
    scenario: 'reported, superseded',
    breaks: 'M1',
  },
  {
    name: 'a run that is reset is reported with all that it has made',
    removal: dropping(/^ends it as reset$/, /^applied$/),
    scenario: 'reported, reset beside a live attempt',
    breaks: 'M1',
  },
  {
    name: 'a superseded run is reported with the start of the newer one',
    removal: replacing({ reportSuperseded: (write) => write }),
    scenario: 'reported, superseded',
    breaks: 'M2',
  },
  {
    name: 'an end is reported in one write with it, not after it',
    removal: following({ report: 'after it' }),
    scenario: 'reported, dead and redriven twice',
    breaks: 'M2',
  },
  {
    name: 'an end is reported in one write with it, not before it',
    removal: following({ report: 'before it' }),
    scenario: 'reported, reset beside a live attempt',
    // It makes nothing that the report could lack.
    change: { stages: { A: [{ call: 'pay', as: 'repeat' }] } },
    breaks: 'M3',
  },
  {
    name: 'a redrive waits for a drop that has begun',
    removal: leaving(/^ends its redrives$/, /^dropped$/),
    scenario: DROPPED,
    breaks: 'L1',
  },
  {
    name: 'a redrive that has looked before a drop is refused',
    removal: leaving(/^ends it as dropped$/, /^epoch$/),
    scenario: DROPPED,
    breaks: 'L1',
  },
  {
    name: 'a run that was redriven since the look is not dropped',
    removal: dropping(/^ends it as dropped$/, /^(epoch|fence)$/),
    scenario: DROPPED,
    breaks: 'L2',
  },
]
